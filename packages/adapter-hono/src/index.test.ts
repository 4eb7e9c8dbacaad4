import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Route } from '@grantkit/core'
import { describeAdapter, type Mounted } from '@grantkit/testkit'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { authorizationServer } from './index.ts'

describeAdapter('hono on Node', (routes: readonly Route[]) =>
  listen(new Hono().route('/', authorizationServer({ routes })).fetch),
)

async function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<Mounted> {
  const server = createAdaptorServer({ fetch })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
    },
  }
}
