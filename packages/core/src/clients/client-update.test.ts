import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import { clientsOf, publicClient } from './client-record.ts'
import { clientUpdates } from './client-update.ts'
import type { StaticClientOptions } from './static-clients.ts'

const NOW = 1_800_000_000
const LOOPBACK = 'http://127.0.0.1:7001/cb'
const HTTPS = 'https://portal.example/cb'

/** A server without features. */
const REGISTRABLE = {
  authMethods: ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'],
  secretMethods: ['client_secret_post', 'client_secret_basic'],
  grantTypes: ['authorization_code', 'refresh_token'],
  signingAlgorithms: [],
}

/** A record of an older release: it lacks the members with a default. */
const CLIENT: Client = {
  ...{ clientId: 'app', origin: 'integration', clientName: 'Portal', applicationType: 'native' },
  ...{ redirectUris: [LOOPBACK], grantTypes: ['authorization_code'], idTokenSignedResponseAlg: 'RS256' },
  ...{ tokenEndpointAuthMethod: 'client_secret_post', secretHash: sha256('secret') },
  ...{ createdAt: NOW, expiresAt: NOW + 3600 },
}
const PUBLIC = { tokenEndpointAuthMethod: 'none', secretHash: undefined }
const WITH_KEYS = { tokenEndpointAuthMethod: 'private_key_jwt', secretHash: undefined }

/** Changes a stored client, and returns its new record. */
async function updated(members: Partial<Client>, changes: object, options: StaticClientOptions = {}) {
  const { clients } = createMemoryStore({ now: () => NOW })
  const client = { ...CLIENT, ...members }
  await clients.insert('app', client, client.expiresAt)
  const kernel = { store: { clients: clientsOf(clients, []) }, scopes: {}, emit() {} }
  const update = clientUpdates(kernel as unknown as Kernel, REGISTRABLE, options)
  await update('app', changes, { seen: publicClient(client) })
  return (await clients.find('app'))?.value
}

describe('a change of a client', () => {
  const STAYS = 'a client stays public or confidential'

  it.each<[string, Partial<Client>, object, string]>([
    [
      'that registered itself',
      { origin: 'registered' },
      { clientName: 'Bank' },
      'Only a client of the operator can be changed',
    ],
    ['in a fixed member', {}, { expiresAt: 1 }, 'expiresAt: no member that can be changed'],
    ['from a secret to none', {}, { tokenEndpointAuthMethod: 'none' }, STAYS],
    ['from none to a secret', PUBLIC, { tokenEndpointAuthMethod: 'client_secret_post' }, STAYS],
    ['from none to keys', PUBLIC, { tokenEndpointAuthMethod: 'private_key_jwt' }, STAYS],
    [
      'from keys to a secret',
      WITH_KEYS,
      { tokenEndpointAuthMethod: 'client_secret_basic' },
      'a client with keys gets no secret',
    ],
    ['that then has no redirect URI', {}, { redirectUris: [] }, 'redirectUris must not be empty'],
  ])('is refused with its reason: %s', async (_, members, changes, reason) => {
    await expect(updated(members, changes)).rejects.toThrow(reason)
  })

  it.each<[string, Partial<Client>, object]>([
    ['the other way to send its secret', {}, { tokenEndpointAuthMethod: 'client_secret_basic' }],
    ['the name of a public client', PUBLIC, { clientName: 'Gate' }],
    ['the name of a client with keys', WITH_KEYS, { clientName: 'Gate' }],
    ['the name of a client with an exception', { rememberConsent: true }, { clientName: 'Gate' }],
    ['the name of a known client', { knownClient: 'chatgpt' }, { clientName: 'Gate' }],
  ])('is made, and changes nothing else: %s', async (_, members, changes) => {
    expect(await updated(members, changes)).toEqual({ ...CLIENT, ...members, ...changes })
  })

  it('leaves members that are undefined as they are, also those that it could not change', async () => {
    const changes = { clientName: 'Gate', contacts: undefined, clientId: undefined }
    const contacts = ['ops@portal.example']
    expect(await updated({ contacts }, changes)).toEqual({ ...CLIENT, contacts, clientName: 'Gate' })
  })

  it.each<[object, string]>([
    [{ applicationType: null }, 'native'],
    [{ applicationType: null, redirectUris: [LOOPBACK, HTTPS] }, 'web'],
    [{ redirectUris: [HTTPS] }, 'native'],
  ])('to %j makes it %s: its type changes only by name', async (changes, applicationType) => {
    expect(await updated({ clientName: 'Old' }, { ...changes, clientName: 'New' })).toMatchObject({
      applicationType,
    })
  })

  it('marks it as a known client only with new redirect URIs', async () => {
    const owner = { id: 'chatgpt', name: 'ChatGPT', host: 'chatgpt.com', formActionHops: [] }
    const redirectUriPolicy = (accepted: readonly string[]) => ({ accepted, owner })
    const renamed = await updated({}, { clientName: 'Gate' }, { redirectUriPolicy })
    expect(renamed).not.toHaveProperty('knownClient')
    const moved = await updated({}, { redirectUris: [HTTPS] }, { redirectUriPolicy })
    expect(moved).toMatchObject({ knownClient: 'chatgpt' })
  })
})
