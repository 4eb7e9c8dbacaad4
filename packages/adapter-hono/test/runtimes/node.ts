import { serve } from '@hono/node-server'
import { type Environment, serviceOf } from './service.ts'

const environment = process.env as unknown as Environment
serve({
  fetch: await serviceOf(environment),
  hostname: '127.0.0.1',
  port: Number(new URL(environment.ISSUER).port),
})
