import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { Kernel } from '../kernel/kernel.ts'
import { camelCased } from '../kernel/records.ts'
import { clientMetadata, type Registrable } from './client-metadata.ts'
import { addClient } from './client-record.ts'
import { clientsOf } from './client-sources.ts'

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
