import type { Listen } from '@grantkit/server/listen'

/** The supported frameworks, by their name in `FRAMEWORK`. Only the configured one is loaded. */
export const FRAMEWORKS: Readonly<Record<'fastify' | 'express' | 'hono', Listen>> = {
  fastify: async (...options) => (await import('./fastify.ts')).listenOnFastify(...options),
  express: async (...options) => (await import('./express.ts')).listenOnExpress(...options),
  hono: async (...options) => (await import('@grantkit/server/listen')).listenOnHono(...options),
}
