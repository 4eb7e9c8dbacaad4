import { createServer } from 'node:http'
import express, { type RequestHandler } from 'express'
import { authorizationServer, protect } from '../../packages/adapter-express/src/index.ts'
import { listen } from '../src/listen.ts'
import type { StartTarget } from '../src/target.ts'
import type { Service } from './service.ts'
import { grantkitTarget, NOTES } from './target.ts'

export const start: StartTarget = (port) => grantkitTarget(port, (service) => serve(service, port))

export async function serve(
  { server, api }: Service,
  port: number,
  ...before: RequestHandler[]
): Promise<void> {
  const app = express().disable('x-powered-by').disable('etag')
  for (const middleware of before) app.use(middleware)
  app.use(authorizationServer(server))
  app.get(NOTES, protect(api, 'notes:read'), (_request, response) => {
    response.json({ owner: response.locals.auth.token.subject })
  })
  await listen(createServer(app), port)
}
