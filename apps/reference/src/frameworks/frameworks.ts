import type { Listen } from './listening.ts'

/** The supported frameworks, by their name in the settings. A start loads the one that it listens on. */
export const FRAMEWORKS = {
  fastify: async (...given) => (await import('./fastify.ts')).listenOnFastify(...given),
  express: async (...given) => (await import('./express.ts')).listenOnExpress(...given),
  hono: async (...given) => (await import('./hono.ts')).listenOnHono(...given),
} satisfies Record<string, Listen>
