import { type Environment, serviceOf } from './service.ts'

declare const Bun: { serve(options: object): void }

const environment = process.env as unknown as Environment
Bun.serve({
  fetch: await serviceOf(environment),
  hostname: '127.0.0.1',
  port: Number(new URL(environment.ISSUER).port),
})
