import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { listen } from '../src/machine.ts'
import type { StartTarget } from '../src/workloads.ts'
import { bareTarget, FORMS, GUARDED, requireText } from './answers.ts'

export const start: StartTarget = async (port) => {
  const app = new Hono()
  for (const [path, { headers, body }] of Object.entries(GUARDED))
    app.get(path, (c) => {
      requireText(c.req.header('authorization'))
      return c.json(body, 200, headers)
    })
  for (const [path, { field, status, headers, body }] of Object.entries(FORMS))
    app.post(path, async (c) => {
      // `parseBody()` parses by FormData, at half the speed.
      requireText(new URLSearchParams(await c.req.text()).get(field))
      return c.json(body, status as 200, headers)
    })
  await listen(createAdaptorServer({ fetch: app.fetch }) as Server, port)
  return bareTarget
}
