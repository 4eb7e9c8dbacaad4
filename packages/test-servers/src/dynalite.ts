import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error It has no types.
import dynalite from 'dynalite'
import type { DynamoServer } from './dynamodb-local.ts'

/** Starts dynalite, which behaves like DynamoDB, in this process. Its tables are in memory. */
export async function startDynalite(): Promise<DynamoServer> {
  const server: Server = dynalite({ createTableMs: 0 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
