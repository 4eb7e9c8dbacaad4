import { type Grant, type GrantId, sha256 } from '@grantkit/core/feature'
import { type KernelStore, presentedRecords } from '@grantkit/core/internal'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { knownOfRecords } from './observer.ts'

const NOW = 1_800_000_000
const ID = 'g'.repeat(22) as GrantId
const SECRET = 's'.repeat(43)
const TOKEN = `gka_${ID}.${SECRET}`
const LATER = NOW + 300

const GRANT: Grant = {
  ...{ id: ID, clientId: 'app', subject: 'alice', scopes: [], resources: [], reference: 'REF' },
  ...{ createdAt: NOW, usedAt: NOW, expiresAt: NOW + 3000 },
  accessTokens: [{ hash: sha256(SECRET), scopes: [], resources: [], issuedAt: NOW, expiresAt: LATER }],
}

async function storeWithGrant(): Promise<KernelStore> {
  const store = createMemoryStore({ now: () => NOW })
  await store.grants.insert(ID, GRANT, LATER)
  return store as unknown as KernelStore
}

type Named = Parameters<typeof presentedRecords>[2]
const attemptOfCredential = async (store: KernelStore, text: unknown, clientId: string, named?: Named) =>
  knownOfRecords(await presentedRecords(store, text, named), clientId)

describe('the attempt of a credential', () => {
  const UNREFERENCED = { grant: { ...GRANT, reference: undefined } }
  const named = {
    grantIdOf: () => 'x' as GrantId,
    transientOf: (text: string) => text.slice(27, 33) || undefined,
  }
  const deviceCode = (record: string) => `gkd_${ID}.${record.padEnd(22, '-')}.${SECRET}`
  const [DEVICE, SILENT] = [deviceCode('device'), deviceCode('silent')]

  it.each([
    ['a grant', TOKEN, undefined, { grant: GRANT }],
    ['a grant whose token was guessed', TOKEN.replace('s', 'a'), undefined, UNREFERENCED],
    ['a grant of another client', TOKEN, undefined, UNREFERENCED, 'other'],
    ['no text', 7, undefined, {}],
    ['no credential', 'x', undefined, {}],
    ['a transient', DEVICE, named, { reference: 'DEV' }],
    ['a transient of another client', DEVICE, named, {}, 'other'],
    ['a transient whose credential was guessed', DEVICE.replace(/s$/, 'a'), named, {}],
    ['a transient without a reference', SILENT, named, {}],
    ['neither', 'gkd_', named, {}],
  ])('is read from what it names: %s', async (_, credential, names, known, clientId = GRANT.clientId) => {
    const store = await storeWithGrant()
    const { transients } = store
    const record = { kind: 'device', expiresAt: LATER, clientId: GRANT.clientId }
    await transients?.insert('device', { ...record, codeHash: sha256(DEVICE), reference: 'DEV' }, LATER)
    await transients?.insert('silent', { ...record, codeHash: sha256(SILENT) }, LATER)
    expect(await attemptOfCredential(store, credential, clientId, names)).toStrictEqual(known)
  })

  it('is not known while the store fails', async () => {
    const down = { find: () => Promise.reject(new Error('down')) }
    const store = { grants: down, transients: down } as unknown as KernelStore
    expect(await attemptOfCredential(store, DEVICE, 'app', named)).toEqual({})
    expect(await attemptOfCredential({ ...store, transients: undefined }, DEVICE, 'app', named)).toEqual({})
  })
})
