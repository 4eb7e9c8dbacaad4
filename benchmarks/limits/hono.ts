import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { listen } from '../src/listen.ts'
import type { StartTarget } from '../src/target.ts'
import { descriptionFor, HEADERS, limitTarget, notesFor, REGISTRATION, tokensFor } from './answers.ts'

// `parseBody()` parses by FormData, at half the speed.
const form = (body: string) => new URLSearchParams(body)

export const start: StartTarget = async (port) => {
  const app = new Hono()
  app.get('/notes', (c) => c.json(notesFor(c.req.header('authorization'))))
  app.post('/token', async (c) => c.json(tokensFor(form(await c.req.text()).get('grant_type')), 200, HEADERS))
  app.post('/introspect', async (c) =>
    c.json(descriptionFor(form(await c.req.text()).get('token')), 200, HEADERS),
  )
  app.post('/register', async (c) => c.json({ ...REGISTRATION, ...(await c.req.json()) }, 201, HEADERS))
  await listen(createAdaptorServer({ fetch: app.fetch }) as Server, port)
  return limitTarget
}
