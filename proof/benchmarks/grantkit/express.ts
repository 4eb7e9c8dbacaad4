import { createServer } from 'node:http'
import express from 'express'
import { authorizationServer, protect } from '../../../packages/adapter-express/src/index.ts'
import { listen } from '../src/machine.ts'
import type { StartTarget } from '../src/workloads.ts'
import type { Service } from './service.ts'
import { grantkitTarget, NOTES } from './target.ts'

export const start: StartTarget = (port) => grantkitTarget(port, serve)

async function serve({ server, api }: Service, port: number): Promise<void> {
  const app = express().disable('x-powered-by').disable('etag')
  app.use(authorizationServer(server))
  app.get(NOTES, protect(api, 'notes:read'), (_request, response) => {
    response.json({ owner: response.locals.auth.token.subject })
  })
  await listen(createServer(app), port)
}
