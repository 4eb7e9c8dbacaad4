import type { Client, Grant, Hash } from '@grantkit/core/feature'
import { describe, expect, it } from 'vitest'
import { aClient, aGrant } from '../sample-records.ts'
import type { RecordKind } from './record-kind.ts'
import { farFuture, read, type Subject } from './subject.ts'

/** Text that must come back unchanged, character by character. */
const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['an empty text', ''],
  ['spaces and line ends', ' \t a \r\n b\n'],
  ['quotes and backslashes', '"\'`\\ \\n \\u0041 %41 <b>&amp;'],
  ['control characters', '\u0000\u0001\u001f\u007f\u0085\u2028\u2029\ufeff'],
  ['every plane of Unicode', 'é e\u0301 ß 中文 עברית \u202e 😀 👩‍👩‍👧 \u{10ffff}'],
  ['text that looks like JSON', '{"a":[1,null,"undefined"]}'],
  ['text that looks like a number', '0012345678901234567890'],
  ['64 KB of text', 'Grantkit '.repeat(7282).slice(0, 64 * 1024)],
  ['64 KB of emoji', '😀'.repeat(16 * 1024)],
]

/** A record that is read equals the one written, strictly: an absent member is not an undefined one. */
export function valuePromises<T>(subject: Subject, kind: RecordKind<T>): void {
  describe('a value', () => {
    it.each(TEXTS)('keeps %s', async (_, text) => {
      const records = kind.records(subject.store)
      const value = kind.marked(text)
      const id = kind.id(value)
      await records.insert(id, value, farFuture(subject.clock))
      const inserted = await read(records, id)
      expect(inserted.value).toStrictEqual(value)
      const replacement = kind.marked(text)
      expect(await records.replace(id, inserted, replacement, farFuture(subject.clock))).toBe(true)
      expect((await read(records, id)).value).toStrictEqual(replacement)
    })
  })
}

/** A function, since an import draws no random ids. */
function fullClient(): Required<Client> {
  return {
    ...aClient(),
    clientName: 'Ünïcode 😀',
    secretHash: 'c2VjcmV0' as Hash,
    clientSecretExpiresAt: 1_900_000_000,
    oldSecretHash: 'b2xkIHNlY3JldA' as Hash,
    oldSecretEndsAt: 1_800_000_000,
    scopes: ['openid', 'courses:read'],
    tokensPerMinute: 60,
    grantsPerHour: 1000,
    scopeLimit: ['openid', 'courses:read', 'courses:write'],
    clientUri: 'https://client.example/',
    logoUri: 'https://client.example/logo.png',
    tosUri: 'https://client.example/tos',
    policyUri: 'https://client.example/policy',
    contacts: ['a@client.example', 'b@client.example'],
    softwareId: '4NRB1-0XZABZI9E6-5SM3R',
    softwareVersion: '2.1',
    resourceServer: false,
    rememberConsent: true,
    pkceOptional: true,
    nonceOptional: true,
    document: { fetchedAt: 1_700_000_000, hash: 'ZG9jdW1lbnQ' as Hash },
    httpsCallbacks: true,
    knownClient: 'cursor',
    refused: false,
    otherAuthMethods: ['private_key_jwt'],
    cannotAuthenticate: false,
    featureMetadata: { post_logout_redirect_uris: ['https://client.example/out'] },
  }
}

export function clientValuePromises(subject: Subject): void {
  const values: readonly (readonly [name: string, client: Client])[] = [
    ['every member', fullClient()],
    ['no optional member', withoutOptionalMembers(aClient())],
    ['empty lists and texts', aClient({ redirectUris: [], grantTypes: [], scopes: [], contacts: [''] })],
    ['one thousand redirect URIs', aClient({ redirectUris: range(1000, (n) => `http://127.0.0.1:${n}/`) })],
    ['times far away', aClient({ createdAt: 0, expiresAt: 8_640_000_000_000 })],
  ]
  describe('a client', () => {
    it.each(values)('keeps %s', async (_, client) => {
      const { clients } = subject.store
      await clients.remove(client.clientId)
      await clients.insert(client.clientId, client, farFuture(subject.clock))
      expect((await read(clients, client.clientId)).value).toStrictEqual(client)
    })
  })
}

export function grantValuePromises(subject: Subject): void {
  const { refresh: _, ...unredeemed } = aGrant()
  const values: readonly (readonly [name: string, grant: Grant])[] = [
    ['every member', aGrant({ nonce: 'n-0S6_WzA2Mj', withheldScopes: ['profile'] })],
    [
      'no optional member',
      { ...unredeemed, code: { hash: 'h' as Hash, challenge: 'c', expiresAt: 1 }, accessTokens: [] },
    ],
    ['empty lists and texts', aGrant({ nonce: '', scopes: [], resources: [], redirectUri: '' })],
    ['a refresh state without a rotation', aGrant({ refresh: firstRefresh() })],
    ['no user and no code', withoutUser(aGrant())],
    ['a personal access token', personalToken()],
    ['hundreds of scopes', aGrant({ scopes: range(500, (n) => `area-${n}:read`) })],
  ]
  describe('a grant', () => {
    it.each(values)('keeps %s', async (_, grant) => {
      const { grants } = subject.store
      await grants.remove(grant.id)
      await grants.insert(grant.id, grant, farFuture(subject.clock))
      expect((await read(grants, grant.id)).value).toStrictEqual(grant)
    })
  })
}

function firstRefresh(): NonNullable<Grant['refresh']> {
  return { familyHash: 'f' as Hash, generation: 0, hash: 'h' as Hash, expiresAt: 1_800_000_000 }
}

function personalToken(): Grant {
  const { code: _, refresh: __, redirectUri: ___, ...grant } = aGrant()
  return { ...grant, origin: 'personal', label: 'CI on 😀', network: '203.0.113.0/24' }
}

function withoutOptionalMembers({ clientName: _, ...client }: Client): Client {
  return client
}

function withoutUser({ subject: _, code: __, redirectUri: ___, authTime: ____, ...grant }: Grant): Grant {
  return grant
}

function range(length: number, item: (index: number) => string): string[] {
  return Array.from({ length }, (_, index) => item(index))
}
