import type { Listen } from './listening.ts'

/** The supported frameworks, by their name in the settings. Only the configured one is loaded. */
export const FRAMEWORKS = {
  fastify: async (...options) => (await import('./fastify.ts')).listenOnFastify(...options),
  express: async (...options) => (await import('./express.ts')).listenOnExpress(...options),
  hono: async (...options) => (await import('./hono.ts')).listenOnHono(...options),
} satisfies Record<string, Listen>
