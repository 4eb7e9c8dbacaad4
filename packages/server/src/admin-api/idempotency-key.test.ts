import { OAuthError } from '@grantkit/core'
import { defineErrors, type Transients } from '@grantkit/core/feature'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { onceOnly } from './idempotency-key.ts'

const REFUSALS = defineErrors({ wrong: ['invalid_request', 'A member is wrong'] })
const LATER = 61

/** A caller's key, and the work that was done under it. */
function open() {
  const clock = { now: 1_800_000_000 }
  const store = createMemoryStore({ now: () => clock.now })
  const transients = store.transients as Transients
  const once = onceOnly(store, () => clock.now)
  const done: string[] = []
  const work = async () => void done.push('client')
  const request = (carryOut: () => Promise<unknown> = work) =>
    once('client:ops', 'key', carryOut).catch((error: OAuthError) => error)
  return { clock, transients, done, work, request }
}

const conflict = (reason: string, more: object = {}) => ({ status: 409, error: 'conflict', reason, ...more })

describe('a key of the admin API', () => {
  it('is for one request that succeeds', async () => {
    const { done, request } = open()
    await request()
    expect(await request()).toMatchObject(conflict('idempotency_key_used'))
    expect(done).toHaveLength(1)
  })

  it('can be used again after a refusal, which did nothing', async () => {
    const { done, request } = open()
    expect(await request(() => Promise.reject(new OAuthError(REFUSALS.wrong)))).toMatchObject({ status: 400 })
    await request()
    expect(done).toHaveLength(1)
  })

  it('has a request that is being carried out, and has not succeeded yet', async () => {
    const { done, request } = open()
    const gate = Promise.withResolvers<void>()
    const first = request(() => gate.promise)
    expect(await request()).toMatchObject(conflict('idempotency_key_in_use', { retryAfter: 1 }))
    gate.reject(new OAuthError(REFUSALS.wrong))
    await first
    await request()
    expect(done).toHaveLength(1)
  })

  it('stays taken when the answer of the store was lost: the work may have been done', async () => {
    const { done, work, request } = open()
    const lost = async () => {
      await work()
      throw new Error('A write may have been carried out whose answer was lost')
    }
    expect(await request(lost)).toMatchObject({ message: expect.stringContaining('was lost') })
    expect(await request()).toMatchObject(conflict('idempotency_outcome_unknown'))
    expect(done).toHaveLength(1)
  })

  it('has an unknown outcome when its process ended before the work did', async () => {
    const { clock, done, request } = open()
    void request(() => new Promise(() => {}))
    await Promise.resolve()
    clock.now += LATER
    expect(await request()).toMatchObject(conflict('idempotency_outcome_unknown'))
    expect(done).toEqual([])
  })

  it('has the answer of its work, though the store cannot keep that it is done', async () => {
    const { transients, done, request } = open()
    const { replace } = transients
    transients.replace = () => Promise.reject(new Error('The store is down'))
    expect(await request()).toBeUndefined()
    transients.replace = replace
    expect(await request()).toMatchObject(conflict('idempotency_key_in_use'))
    expect(done).toHaveLength(1)
  })
})
