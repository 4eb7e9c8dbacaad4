import { listenOnExpress } from './express.ts'
import { listenOnFastify } from './fastify.ts'
import { listenOnHono } from './hono.ts'
import type { Listen } from './listening.ts'

/** The supported frameworks, by their name in the settings. */
export const FRAMEWORKS = {
  fastify: listenOnFastify,
  express: listenOnExpress,
  hono: listenOnHono,
} satisfies Record<string, Listen>
