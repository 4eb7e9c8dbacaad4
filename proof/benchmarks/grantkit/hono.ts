import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { authorizationServer, protect } from '../../../packages/adapter-hono/src/index.ts'
import { listen } from '../src/machine.ts'
import type { StartTarget } from '../src/workloads.ts'
import type { Service } from './service.ts'
import { grantkitTarget, NOTES } from './target.ts'

export const start: StartTarget = (port) => grantkitTarget(port, serve)

async function serve({ server, api }: Service, port: number): Promise<void> {
  const app = new Hono()
  app.route('/', authorizationServer(server))
  app.get(NOTES, protect(api, 'notes:read'), (c) => c.json({ owner: c.var.auth.token.subject }))
  await listen(createAdaptorServer({ fetch: app.fetch }) as Server, port)
}
