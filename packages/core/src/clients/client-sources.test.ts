import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { Client } from '../kernel/records.ts'
import type { Records } from '../kernel/store.ts'
import { systemTime } from '../kernel/time.ts'
import { type ClientSource, clientsOf, storedClients } from './client-sources.ts'

const NOW = 1_800_000_000
const LATER = NOW + 3600
const CLIENT = { clientId: 'app', origin: 'registered', expiresAt: LATER } as Client
/** Pauses take no time. */
const AT_ONCE = { time: { ...systemTime, sleep: async () => {} } }

async function withClient() {
  const { clients } = createMemoryStore({ now: () => NOW })
  await clients.insert(CLIENT.clientId, CLIENT, CLIENT.expiresAt)
  return clients
}

describe('the clients of all sources', () => {
  it('have none with an id that no source is responsible for', async () => {
    const clients = clientsOf(await withClient(), [])
    expect(await clients.find('app')).toBeUndefined()
    expect(await clients.describe('app')).toBeUndefined()
    expect(clients.describedBy('app')).toBeUndefined()
    await expect(clients.keep(CLIENT, LATER)).resolves.toBeUndefined()
    expect(await clients.remove('app'), 'its record').toBe(true)
    expect(await clients.remove('app'), 'again').toBe(false)
  })

  it('come from the first source that is responsible, which may only find them', async () => {
    const source = (name: string): ClientSource => ({
      owns: (clientId) => clientId.startsWith('a'),
      find: async (clientId) => ({ ...CLIENT, clientId, clientName: name }),
    })
    const clients = clientsOf(await withClient(), [source('first'), source('second')])
    expect(await clients.find('app')).toMatchObject({ clientName: 'first' })
    expect(await clients.describe('app')).toMatchObject({ clientName: 'first' })
    expect(clients.describedBy('app')).toBeUndefined()
    await expect(clients.keep(CLIENT, LATER)).resolves.toBeUndefined()
    expect(await clients.remove('app')).toBe(true)
  })
})

describe('the clients of the store', () => {
  it.each([
    [512, true],
    [513, false],
  ])('have ids of at most 512 characters: %d, %s', async (length, owned) => {
    expect(storedClients(await withClient(), AT_ONCE).owns('a'.repeat(length))).toBe(owned)
  })

  it.each([
    [LATER - 1, LATER, 0],
    [LATER, LATER, 0],
    [LATER + 1, LATER + 1, 1],
  ])('are kept at least until %d, and are written only for that', async (until, expiresAt, writes) => {
    const { records, written } = failing(await withClient(), 0)
    await storedClients(records, AT_ONCE).keep?.(CLIENT, until)
    expect((await records.find('app'))?.value.expiresAt).toBe(expiresAt)
    expect(written()).toBe(writes)
  })

  it('are not kept once they are gone', async () => {
    const gone = storedClients(await withClient(), AT_ONCE).keep?.({ ...CLIENT, clientId: 'gone' }, LATER)
    await expect(gone).rejects.toMatchObject({ reason: 'client_unknown' })
  })
})

/** Records of which other writers win the first writes. */
function failing(clients: Records<Client>, conflicts: number) {
  let writes = 0
  const replace: Records<Client>['replace'] = async (...record) =>
    ++writes > conflicts && clients.replace(...record)
  return { records: { ...clients, replace }, written: () => writes }
}
