import type { StartTarget } from '../src/target.ts'
import { serve } from './hono.ts'
import { grantkitTarget } from './target.ts'

/** Mounted behind middleware that parses every form with `parseBody()`. */
export const start: StartTarget = (port) =>
  grantkitTarget(port, (service) =>
    serve(service, port, async (c, next) => {
      if (c.req.header('content-type') === 'application/x-www-form-urlencoded') await c.req.parseBody()
      await next()
    }),
  )
