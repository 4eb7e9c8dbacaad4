import { type Environment, serviceOf } from './service.ts'

declare const Deno: {
  readonly env: { toObject(): unknown }
  serve(options: object, handler: (request: Request) => Response | Promise<Response>): void
}

const environment = Deno.env.toObject() as Environment
Deno.serve(
  { hostname: '127.0.0.1', port: Number(new URL(environment.ISSUER).port) },
  await serviceOf(environment),
)
