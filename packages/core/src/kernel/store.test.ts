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

const BUG = new TypeError('value is undefined')

it.each<readonly [string, unknown, object]>([
  ['a broken connection', new Error('The connection broke'), { reason: 'store_unavailable' }],
  [
    'a fetch that could not connect',
    new TypeError('fetch failed', { cause: 'ECONNREFUSED' }),
    { status: 503 },
  ],
  ['no error', undefined, { reason: 'store_unavailable' }],
  ['a bug', BUG, BUG],
  ...[RangeError, ReferenceError, SyntaxError].map(
    (Bug) => ['a bug', new Bug('no'), { name: Bug.name }] as const,
  ),
])('answers %s of a method and of a scan with its kind: %s', async (_, thrown, expected) => {
  const store = createMemoryStore()
  const find = () => Promise.reject(thrown)
  const findNow = () => {
    throw thrown
  }
  const failing = storeErrorsAs503({
    ...store,
    clients: { ...store.clients, find },
    grants: { ...store.grants, find: findNow },
  })
  await expect(failing.clients.find('a')).rejects.toMatchObject(expected)
  await expect(failing.grants.find('a')).rejects.toMatchObject(expected)
})
