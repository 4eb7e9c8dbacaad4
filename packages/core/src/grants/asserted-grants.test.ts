import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it } from 'vitest'
import type { Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import type { GrantId } from '../kernel/secrets.ts'
import { endGrantsOf } from './user-grants.ts'

const NOW = 1_800_000_000
const ISSUER = 'https://idp.example'

/** Grants of a user and of a workload of the issuer, of a user elsewhere, and of one without an assertion. */
const GRANTS: readonly Partial<Grant>[] = [
  { id: 'user' as GrantId, subject: 'local-alice', authority: { issuer: ISSUER, subject: 'alice' } },
  { id: 'workload' as GrantId, authority: { issuer: ISSUER, subject: 'deploy' } },
  { id: 'elsewhere' as GrantId, subject: 'bob', authority: { issuer: `${ISSUER}.x`, subject: 'alice' } },
  { id: 'plain' as GrantId, subject: 'local-alice' },
]

async function withGrants() {
  const store = createMemoryStore({ now: () => NOW })
  const extent = { clientId: 'app', scopes: [], resources: [], accessTokens: [] }
  for (const grant of GRANTS) {
    const stored = { ...extent, createdAt: NOW, usedAt: NOW, expiresAt: NOW + 900, ...grant } as Grant
    await store.grants.insert(stored.id, stored, NOW + 900)
  }
  const [events, why]: [object[], object[]] = [[], []]
  const observer = { ended: (_: Grant, reason: object) => void why.push(reason) }
  const emit = (event: object) => void events.push(event)
  const kernel = { store, now: () => NOW, emit, observer } as unknown as Kernel
  const live = async () => {
    const found = await Promise.all(GRANTS.map(({ id }) => store.grants.find(id as GrantId)))
    return found.flatMap((grant) => (grant?.value.clientId === 'app' ? [grant.value.id] : []))
  }
  return { kernel, events, why, live }
}

it.each([
  ['a workload of the issuer', { subject: 'deploy' }, 1, ['user', 'elsewhere', 'plain']],
  ['a user of the issuer', { subject: 'alice' }, 1, ['workload', 'elsewhere', 'plain']],
  ['all of the issuer', {}, 2, ['elsewhere', 'plain']],
  ['one that the issuer does not know', { subject: 'local-alice' }, 0, GRANTS.map(({ id }) => id)],
])('the operator ends the grants of %s: %j', async (_, of, ended, left) => {
  const { kernel, events, why, live } = await withGrants()
  expect(await endGrantsOf(kernel, { issuer: ISSUER, ...of })).toBe(ended)
  expect(await live()).toEqual(left)
  expect(why).toEqual(Array(ended).fill({ by: 'operator' }))
  const ids = { grantId: 'user', clientId: 'app', subject: 'local-alice' }
  const revoked = { type: 'grant_revoked', ...ids, by: 'operator' }
  expect(events).toEqual(left.includes('user' as GrantId) ? [] : [revoked])
})
