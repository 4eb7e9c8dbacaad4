import { createServer } from 'node:http'
import express from 'express'
import { listen } from '../src/machine.ts'
import type { StartTarget } from '../src/workloads.ts'
import { bareTarget, FORMS, GUARDED, requireText } from './answers.ts'

export const start: StartTarget = async (port) => {
  const app = express().disable('x-powered-by').disable('etag')
  for (const [path, { headers, body }] of Object.entries(GUARDED))
    app.get(path, (request, response) => {
      requireText(request.headers.authorization)
      response.set(headers).json(body)
    })
  for (const [path, { field, status, headers, body }] of Object.entries(FORMS))
    app.post(path, express.urlencoded({ extended: false }), (request, response) => {
      requireText(request.body[field])
      response.status(status).set(headers).json(body)
    })
  await listen(createServer(app), port)
  return bareTarget
}
