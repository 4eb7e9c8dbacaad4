import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { strongRandom } from '../kernel/secrets.ts'
import { staticClients } from './static-clients.ts'

const METHODS = { authMethods: ['none', 'client_secret_basic'], secretMethods: ['client_secret_basic'] }
const PORTAL = { clientName: 'Portal', redirectUris: ['https://portal.example/cb'] }

function open(
  methods: { readonly authMethods: readonly string[]; readonly secretMethods?: readonly string[] } = METHODS,
) {
  const clock = { now: 1_800_000_000 }
  const records = createMemoryStore({ now: () => clock.now }).clients
  const events: object[] = []
  const kernel = {
    ...{ scopes: {}, store: { clients: { records } }, now: () => clock.now, random: strongRandom },
    emit: (event: object) => void events.push(event),
  }
  const registrable = { ...methods, grantTypes: ['authorization_code'], signingAlgorithms: [] }
  return { clock, records, events, clients: staticClients(kernel as unknown as Kernel, registrable, {}) }
}

describe('a new static client', () => {
  it('is announced by an event without its secret', async () => {
    const { clients, events } = open()
    const { clientId, clientSecret } = await clients.add(PORTAL)
    expect(clientSecret).toMatch(/^[\w-]{43}$/)
    expect(events).toEqual([{ type: 'client_added', clientId }])
  })

  it('has no member for a secret if it is public', async () => {
    const added = await open().clients.add({ ...PORTAL, tokenEndpointAuthMethod: 'none' })
    expect(added).not.toHaveProperty('clientSecret')
  })

  it.each([
    ['of a public client', METHODS, 'none'],
    ['of a client with keys', { ...METHODS, authMethods: ['private_key_jwt'] }, 'private_key_jwt'],
    ['of a server without secrets', { authMethods: ['private_key_jwt'] }, 'private_key_jwt'],
  ])('is refused with the end of a secret that it does not get: %s', async (_, methods, method) => {
    const { clients, events } = open(methods)
    const added = { ...PORTAL, tokenEndpointAuthMethod: method, clientSecretExpiresIn: 60 }
    await expect(clients.add(added)).rejects.toMatchObject({
      error: 'invalid_client_metadata',
      message: 'clientSecretExpiresIn: this client has no secret',
    })
    expect(events).toEqual([])
  })
})

describe('the list of static clients', () => {
  it('has the oldest first, in whatever order the store reads them', async () => {
    const { clients, clock } = open()
    for (const [clientName, later] of [
      ['third', 2],
      ['first', 0],
      ['second', 1],
    ] as const) {
      clock.now = 1_800_000_000 + later
      await clients.add({ ...PORTAL, clientName })
    }
    expect((await clients.list()).map(({ clientName }) => clientName)).toEqual(['first', 'second', 'third'])
  })

  it('has no other client, and each of them once', async () => {
    const { clients, records } = open()
    const { clientId } = await clients.add(PORTAL)
    const stored = (await records.find(clientId))?.value as Client
    for (const origin of ['registered', 'document'] as const)
      await records.insert(origin, { ...stored, clientId: origin, origin }, stored.expiresAt)
    records.scan = async function* () {
      for (const id of [clientId, 'registered', 'document', clientId]) {
        const client = (await records.find(id))?.value
        if (client !== undefined) yield client
      }
    }
    expect((await clients.list()).map((client) => client.clientId)).toEqual([clientId])
  })
})
