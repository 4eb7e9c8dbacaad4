import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { Kernel, KernelStore } from '../kernel/kernel.ts'
import { defineErrors } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Grant } from '../kernel/records.ts'
import { type GrantId, type Hash, sha256, strongRandom } from '../kernel/secrets.ts'
import { systemTime } from '../kernel/time.ts'
import { changeGrant, endGrant, keptUntil, prefetch, type Transition } from './change-grant.ts'

const NOW = 1_800_000_000
const ID = 'g'.repeat(22) as GrantId
const SECRET = 's'.repeat(43)
const TOKEN = `gka_${ID}.${SECRET}`
const LATER = NOW + 300
const { stolen } = defineErrors({ stolen: ['invalid_grant', 'The code was stolen'] })

const signed = (name: string, expiresAt = LATER): AccessTokenState => ({
  ...{ hash: name as Hash, scopes: [], resources: [], issuedAt: NOW, expiresAt },
  signed: true,
})

const GRANT: Grant = {
  ...{ id: ID, clientId: 'app', subject: 'alice', scopes: [], resources: [], reference: 'REF' },
  ...{ createdAt: NOW, usedAt: NOW, expiresAt: NOW + 3000 },
  accessTokens: [{ ...signed(sha256(SECRET)), signed: undefined }],
}

/** A kernel with a stored grant, and what it reads, logs and emits. */
async function withGrant(grant: Grant = GRANT) {
  const store = createMemoryStore({ now: () => NOW })
  await store.grants.insert(ID, grant, LATER)
  const seen = { finds: 0, writes: 0, revoked: [] as string[], events: [] as object[], ended: [] as object[] }
  const grants = { ...store.grants }
  grants.find = (id) => {
    seen.finds++
    return store.grants.find(id)
  }
  grants.replace = (...written) => {
    seen.writes++
    return store.grants.replace(...written)
  }
  const logRevocation = async (entry: string) => void seen.revoked.push(entry)
  const observer = { ended: (...end: object[]) => void seen.ended.push(...end) }
  const time = { ...systemTime, sleep: async () => {} }
  const emit = (event: object) => void seen.events.push(event)
  const kernel = {
    store: { ...store, grants, logRevocation },
    now: () => NOW,
    time,
    random: strongRandom,
    emit,
    observer,
  }
  return { kernel: kernel as unknown as Kernel & { store: KernelStore }, grants, seen }
}

const used: Transition<string> = (grant) => ({
  ...{ kind: 'changed', grant: { ...grant, usedAt: NOW + 1 }, result: 'done' },
})
const contended = expect.objectContaining({ error: 'temporarily_unavailable', reason: 'contention' })

describe('a change of a grant', () => {
  it('uses the read that has started, once, and reads again after another write', async () => {
    const { kernel, grants, seen } = await withGrant()
    const prefetched = prefetch(kernel.store, TOKEN)
    const { value } = (await prefetched?.found) ?? {}
    await changeGrant(kernel, ID, used)
    const outcome = await changeGrant(kernel, ID, used, prefetched)
    expect(outcome).toMatchObject({ kind: 'changed', result: 'done', grant: { usedAt: NOW + 1 } })
    expect([value, seen.finds, seen.writes]).toEqual([GRANT, 3, 3])
    expect((await grants.find(ID))?.value).toEqual(outcome?.grant)
  })

  it('does not use the read of another grant', async () => {
    const { kernel } = await withGrant()
    const prefetched = prefetch(kernel.store, `gkc_${'h'.repeat(22)}.secret`)
    expect(await changeGrant(kernel, ID, used, prefetched)).toMatchObject({ result: 'done' })
    expect(await changeGrant(kernel, 'x' as GrantId, used)).toBeUndefined()
  })

  it('writes nothing if nothing changes, and waits for a transition that takes time', async () => {
    const { kernel, seen } = await withGrant()
    const outcome = await changeGrant(kernel, ID, async (grant) => ({ kind: 'unchanged', grant, result: 1 }))
    expect([outcome, seen.writes]).toEqual([{ kind: 'unchanged', grant: GRANT, result: 1 }, 0])
  })

  it('gives up after sixteen lost races, and has written nothing', async () => {
    const { kernel, grants, seen } = await withGrant()
    grants.replace = async () => {
      seen.writes++
      return false
    }
    await expect(changeGrant(kernel, ID, used)).rejects.toThrow(contended)
    expect(seen).toMatchObject({ writes: 16, finds: 16 })
  })

  it('that ends it answers with the error, after an event', async () => {
    const { kernel, seen } = await withGrant()
    const end = changeGrant(kernel, ID, () => ({ kind: 'ended', refusal: stolen }))
    await expect(end).rejects.toMatchObject({ reason: 'stolen' })
    const ids = { grantId: ID, clientId: 'app', subject: 'alice', reason: 'stolen' }
    expect(seen.events).toEqual([{ type: 'grant_ended', ...ids }])
    expect(seen.ended).toEqual([GRANT, { by: 'server', reason: 'stolen' }])
  })

  it('logs the signed tokens that it takes away and that still live, and no others', async () => {
    const tokens = [...GRANT.accessTokens, signed('gone'), signed('kept'), signed('expired', NOW)]
    const { kernel, seen } = await withGrant({ ...GRANT, accessTokens: tokens })
    await changeGrant(kernel, ID, (grant) => ({
      ...{ kind: 'changed', grant: { ...grant, accessTokens: [signed('kept')] }, result: 0 },
    }))
    expect(seen.revoked).toEqual([`${ID}.gone`])
  })
})

describe('the end of a grant', () => {
  const why = { by: 'user' } as const

  it.each([
    ['a live signed token', [signed('a')], [ID]],
    ['a signed token that a guard with another clock may take', [signed('a', NOW - 119)], [ID]],
    ['a signed token that has expired for every guard', [signed('a', NOW - 120)], []],
    ['no signed token', GRANT.accessTokens, []],
  ])('is logged once with %s', async (_, accessTokens, logged) => {
    const { kernel, grants, seen } = await withGrant({ ...GRANT, accessTokens })
    const stored = await grants.find(ID)
    expect(stored && (await endGrant(kernel, stored, why))).toBe(true)
    expect(seen.revoked).toEqual(logged)
  })

  it('is the work of one of two calls, and leaves neither user nor tokens', async () => {
    const { kernel, grants, seen } = await withGrant({ ...GRANT, ticketEndsAt: LATER })
    const stored = await grants.find(ID)
    if (stored === undefined) throw new Error('no grant')
    expect([await endGrant(kernel, stored, why), await endGrant(kernel, stored, why)]).toEqual([true, false])
    expect((await grants.find(ID))?.value).toEqual({
      ...{ id: ID, clientId: '', scopes: [], resources: [], accessTokens: [], reference: 'REF' },
      ended: { clientId: 'app', hashes: [sha256(SECRET)] },
      ...{ createdAt: NOW, usedAt: NOW, expiresAt: NOW, ticketEndsAt: LATER },
    })
    expect(seen.ended).toEqual([stored.value, why])
  })

  it.each([
    ['is full', 1, async () => Promise.reject(new Error('full'))],
    ['always changes first', 16, async () => false],
  ])('is a removal if the store %s', async (_, attempts, replaced) => {
    const { kernel, grants } = await withGrant()
    const stored = await grants.find(ID)
    if (stored === undefined) throw new Error('no grant')
    const untils: number[] = []
    grants.replace = (...[, , , until]) => {
      untils.push(until)
      return replaced()
    }
    grants.insert = async () => Promise.reject(new Error('full'))
    expect(await endGrant(kernel, stored, why)).toBe(true)
    expect(untils, 'a record that ends in the future').toEqual(Array(attempts).fill(NOW + 1))
    expect(await grants.find(ID)).toBeUndefined()
    expect(await endGrant(kernel, stored, why)).toBe(false)
  })

  it.each([
    ['the last of its tokens', {}, LATER],
    ['its ticket', { ticketEndsAt: LATER + 1 }, LATER + 1],
    ['its code', { code: { hash: 'h' as Hash, expiresAt: LATER + 2 } }, LATER + 2],
    ['its refresh token', { refresh: { expiresAt: LATER + 3 } as never }, LATER + 3],
    ['its creation, without any of them', { accessTokens: [] }, NOW],
  ])('comes no earlier than the end of %s', (_, members, until) => {
    expect(keptUntil({ ...GRANT, ...members })).toBe(until)
  })
})

describe('a prefetch', () => {
  it('causes no read for a text that names nothing', async () => {
    const { kernel, seen } = await withGrant()
    expect(prefetch(kernel.store, 'x')).toBeUndefined()
    expect(seen.finds).toBe(0)
    expect(
      prefetch(kernel.store, 'gkd_', { grantIdOf: () => ID, transientOf: () => undefined }),
    ).toMatchObject({ transient: undefined })
  })
})
