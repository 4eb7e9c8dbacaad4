import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Mounted } from '@grantkit/testkit'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>

/** Serves on a free loopback port with @hono/node-server. */
export async function listen(fetch: Fetch): Promise<Mounted> {
  const server = createAdaptorServer({ fetch: (request, env) => fetch(request, env as HttpBindings) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => new Promise<void>((closed) => server.close(() => closed()))
  return { url: `http://127.0.0.1:${port}`, close }
}
