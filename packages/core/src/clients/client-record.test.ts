import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { Kernel } from '../kernel/kernel.ts'
import { type Client, camelCased, type Grant } from '../kernel/records.ts'
import type { Records } from '../kernel/store.ts'
import { systemTime } from '../kernel/time.ts'
import { clientMetadata, type Registrable } from './client-metadata.ts'
import {
  addClient,
  type ClientSource,
  clientsOf,
  mayRedeemAt,
  storedClients,
  withRemainingScopes,
} from './client-record.ts'

const NOW = 1_800_000_000
const REGISTRABLE: Registrable = {
  authMethods: ['none'],
  grantTypes: ['authorization_code', 'refresh_token'],
  signingAlgorithms: [],
}

/** A kernel whose source of randomness repeats itself. */
function kernelOf() {
  const store = { clients: clientsOf(createMemoryStore({ now: () => NOW }).clients, []) }
  const random = (size: number) => new Uint8Array(size)
  return { store, random, now: () => NOW, scopes: {} } as unknown as Kernel
}

describe('a new client', () => {
  const add = (kernel: Kernel, client_name: string) => {
    const redirectUris = ['https://app.example/cb']
    const metadata = camelCased(
      clientMetadata(REGISTRABLE).parse({ redirect_uris: redirectUris, client_name }),
    )
    const terms = { origin: 'registered', redirectUris, expiresAt: NOW + 60 } as const
    return addClient(kernel, metadata, terms, REGISTRABLE)
  }

  it('is public where no method has secrets', async () => {
    const { client, clientSecret } = await add(kernelOf(), 'App')
    expect(clientSecret).toBeUndefined()
    expect(client).not.toHaveProperty('secretHash')
    expect(client).toMatchObject({ clientName: 'App', applicationType: 'web', createdAt: NOW })
  })

  it('never takes the place of another one', async () => {
    const kernel = kernelOf()
    const { client } = await add(kernel, 'First')
    await expect(add(kernel, 'Second')).rejects.toThrow('A new client_id exists already')
    expect((await kernel.store.clients.records.find(client.clientId))?.value).toEqual(client)
  })
})

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

const STATIC = { origin: 'integration', redirectUris: ['https://app.example/cb', 'http://127.0.0.1/cb'] }
const GRANT = { scopes: ['read', 'write', 'share'] } as Partial<Grant> as Grant

const clientWith = (members: object) => ({ ...STATIC, ...members }) as Partial<Client> as Client

describe('a code', () => {
  it.each([
    ['that was sent to a redirect URI of the client', {}, 'https://app.example/cb', true],
    ['that was sent to another port of a loopback one', {}, 'http://127.0.0.1:9/cb', true],
    ['that was sent to a redirect URI that the client lost', {}, 'https://old.example/cb', false],
    ['that was sent to no redirect URI', {}, undefined, true],
    [
      'of a client that registered itself',
      { origin: 'registered', redirectUris: [] },
      'https://old.example/cb',
      true,
    ],
    ['of a client with a document', { origin: 'document', redirectUris: [] }, 'https://old.example/cb', true],
  ])('%s', (_, members, redirectUri, expected) => {
    expect(mayRedeemAt(clientWith(members), redirectUri)).toBe(expected)
  })
})

describe('the grant of a static client', () => {
  it.each([
    ['lists the scopes that the client lost as withheld', {}, ['write', 'share']],
    [
      'lists them after those that the user withheld',
      { withheldScopes: ['email'] },
      ['email', 'write', 'share'],
    ],
  ])('%s', (_, members, withheldScopes) => {
    const grant = { ...GRANT, ...members }
    const remaining = withRemainingScopes(grant, clientWith({ scopes: ['read', 'other'] }))
    expect(remaining).toEqual({ scopes: ['read'], withheldScopes })
  })

  it('is an error if no scope remains', () => {
    expect(() => withRemainingScopes(GRANT, clientWith({ scopes: ['other'] }))).toThrow(
      expect.objectContaining({ error: 'invalid_scope', reason: 'scope_not_registered' }),
    )
  })

  it.each([
    ['the client has all scopes of the grant', { scopes: ['share', 'write', 'read', 'other'] }],
    ['the client may request every scope', { scopes: undefined }],
    [
      'the client registered itself, with fewer scopes than it has',
      { origin: 'registered', scopes: ['read'] },
    ],
  ])('stays as it is if %s', (_, members) => {
    expect(withRemainingScopes(GRANT, clientWith(members))).toBe(GRANT)
  })
})
