import { createMemoryStore } from '@grantkit/store-memory'
import { aClient } from '@grantkit/testkit'
import { describe, expect, it } from 'vitest'
import type { Client } from './records.ts'
import { changeRecord, type Records, storeErrorsAs503 } from './store.ts'
import { systemTime } from './time.ts'

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

/** Records of which other writers win the first writes. */
async function contended(conflicts: number) {
  const { clients } = createMemoryStore()
  const client = aClient({ clientId: 'app', expiresAt: END })
  await clients.insert('app', client, END)
  let writes = 0
  const replace: Records<Client>['replace'] = async (...record) =>
    ++writes > conflicts && clients.replace(...record)
  const time = { ...systemTime, sleep: async () => {} }
  const rename = () =>
    changeRecord({ ...clients, replace }, 'app', { time }, (seen) => {
      return seen && { ...seen, clientName: 'Renamed' }
    })
  return { clients, rename, written: () => writes }
}

describe('a change of a record', () => {
  it('is repeated until it wins against other writers', async () => {
    const { clients, rename } = await contended(3)
    await rename()
    expect((await clients.find('app'))?.value).toMatchObject({ clientName: 'Renamed' })
  })

  it('is given up after sixteen attempts, with an error that asks to try again', async () => {
    const { rename, written } = await contended(16)
    await expect(rename()).rejects.toMatchObject({ reason: 'contention', status: 503 })
    expect(written()).toBe(16)
  })
})
