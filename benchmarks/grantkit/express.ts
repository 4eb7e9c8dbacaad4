import { createServer } from 'node:http'
import express from 'express'
import { authorizationServer, protect } from '../../packages/adapter-express/src/index.ts'
import { listen } from '../src/listen.ts'
import type { StartTarget } from '../src/target.ts'
import { grantkitTarget, NOTES } from './target.ts'

export const start: StartTarget = (port) =>
  grantkitTarget(port, async ({ server, api }) => {
    const app = express().disable('x-powered-by').disable('etag')
    app.use(authorizationServer(server))
    app.get(NOTES, protect(api, 'notes:read'), ({ auth }, response) => {
      response.json(auth.kind === 'authorized' ? { owner: auth.token.subject } : {})
    })
    await listen(createServer(app), port)
  })
