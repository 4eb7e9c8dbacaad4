import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Mounted } from '@grantkit/testkit'
import { createAdaptorServer } from '@hono/node-server'

/** Serves on a free loopback port with @hono/node-server. */
export async function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<Mounted> {
  const server = createAdaptorServer({ fetch })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => new Promise<void>((closed) => server.close(() => closed()))
  return { url: `http://127.0.0.1:${port}`, close }
}
