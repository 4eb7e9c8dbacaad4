import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { approveDevice } from './approve-device.ts'
import { startReplicas } from './grantkit-replicas.ts'
import { STORES } from './grantkit-stores.ts'

/** Grantkit as a row of `pnpm --dir proof bench:torture`: two replicas on a store, and a user who approves devices. */
export async function start(_port: number, store: string) {
  const started = await STORES[store]?.()
  if (started === undefined) throw new Error(`There is no store ${store}`)
  const { issuer, bases, resource, clients, close } = await startReplicas(started.stores)
  const user = await startUser()
  return {
    ...{ issuer, clients, scope: ['notes:read'], replicas: bases, endpoints: { userinfo: resource } },
    approve: `http://127.0.0.1:${(user.address() as AddressInfo).port}`,
    async close() {
      user.close()
      await close()
      await started.close()
    },
  }
}

/** Approves the device whose authorization is in the query. */
function startUser(): Promise<Server> {
  const server = createServer(async (message, response) => {
    const sent = new URL(message.url ?? '', 'http://user').searchParams
    const [verificationUri, userCode] = [sent.get('verification_uri') ?? '', sent.get('user_code') ?? '']
    const device = { verificationUri, userCode, deviceCode: '', interval: 0 }
    const done = await approveDevice(device).then(
      () => true,
      () => false,
    )
    response.writeHead(done ? 204 : 500).end()
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}
