import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { authorizationServer, protect } from '../../packages/adapter-hono/src/index.ts'
import type { StartTarget } from '../src/target.ts'
import { grantkitTarget, NOTES } from './target.ts'

export const start: StartTarget = (port) =>
  grantkitTarget(port, async ({ server, api }) => {
    const app = new Hono()
    app.route('/', authorizationServer(server))
    app.get(NOTES, protect(api, 'notes:read'), (c) => {
      const { auth } = c.var
      return c.json(auth.kind === 'authorized' ? { owner: auth.token.subject } : {})
    })
    await new Promise<void>((resolve) => {
      serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => resolve())
    })
  })
