import { createServer } from 'node:http'
import express from 'express'
import { listen } from '../src/listen.ts'
import type { StartTarget } from '../src/target.ts'
import { descriptionFor, HEADERS, limitTarget, notesFor, REGISTRATION, tokensFor } from './answers.ts'

export const start: StartTarget = async (port) => {
  const app = express().disable('x-powered-by').disable('etag')
  const form = express.urlencoded({ extended: false })
  app.get('/notes', (request, response) => {
    response.json(notesFor(request.headers.authorization))
  })
  app.post('/token', form, (request, response) => {
    response.set(HEADERS).json(tokensFor(request.body.grant_type))
  })
  app.post('/introspect', form, (request, response) => {
    response.set(HEADERS).json(descriptionFor(request.body.token))
  })
  app.post('/register', express.json(), (request, response) => {
    response
      .status(201)
      .set(HEADERS)
      .json({ ...REGISTRATION, ...request.body })
  })
  await listen(createServer(app), port)
  return limitTarget
}
