import { createMemoryStore } from '@grantkit/store-memory'
import { aClient } from '@grantkit/testkit'
import { expect, it } from 'vitest'
import { storeErrorsAs503 } from './store.ts'

const END = 4_000_000_000

function scanned(scan: () => AsyncIterable<ReturnType<typeof aClient>>) {
  const store = createMemoryStore()
  return storeErrorsAs503({ ...store, clients: { ...store.clients, scan } }).clients.scan()
}

it('ends the scan of the store when its caller has enough', async () => {
  let isEnded = false
  const clients = scanned(async function* () {
    try {
      for (;;) yield aClient({ expiresAt: END })
    } finally {
      isEnded = true
    }
  })
  for await (const _ of clients) break
  expect(isEnded).toBe(true)
})

it('answers an error of a scan like any other of the store', async () => {
  const clients = scanned(async function* () {
    yield aClient()
    throw new Error('The connection broke')
  })
  const all = async () => {
    for await (const _ of clients);
  }
  await expect(all()).rejects.toMatchObject({ reason: 'store_unavailable' })
})
