import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'
import { defineErrors, type Transients } from '@grantkit/core/feature'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { onceOnly } from './operation.ts'

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

  /** The store fails once, before or after it has kept the record. */
  it.each(['before', 'after'])(
    'can be used again after a 503 that came %s the key was kept',
    async (moment) => {
      const { transients, done, request } = open()
      const { insert } = transients
      transients.insert = async (...record) => {
        transients.insert = insert
        if (moment === 'after') await insert(...record)
        throw new Error('The store is down')
      }
      const unavailable = { status: 503, error: 'temporarily_unavailable' }
      expect(await request()).toMatchObject(unavailable)
      expect(done).toEqual([])
      expect(await request()).toBeUndefined()
      expect(done).toHaveLength(1)
    },
  )

  it('stays with the request that has it, if another one could not be looked up', async () => {
    const { transients, done, work, request } = open()
    const gate = Promise.withResolvers<void>()
    const first = request(() => gate.promise.then(work))
    const { insert, find } = transients
    transients.insert = () => Promise.reject(new Error('The store is down'))
    expect(await request()).toMatchObject({ status: 503 })
    transients.insert = insert
    transients.find = () => Promise.reject(new Error('The store is down'))
    expect(await request()).toMatchObject({ status: 503 })
    transients.find = find
    gate.resolve()
    await first
    expect(await request()).toMatchObject(conflict('idempotency_key_used'))
    expect(done).toHaveLength(1)
  })

  it.each([
    ['refused', (gate: PromiseWithResolvers<void>) => gate.reject(new OAuthError(REFUSALS.wrong))],
    ['done', (gate: PromiseWithResolvers<void>) => gate.resolve()],
    ['lost', (gate: PromiseWithResolvers<void>) => gate.reject(new Error('lost'))],
  ])(
    'stays with the request that has it when one before it, whose record the store lost, is %s',
    async (_, end) => {
      const { transients, request } = open()
      const { insert } = transients
      let kept = ''
      transients.insert = (id, ...record) => {
        kept = id
        return insert(id, ...record)
      }
      const [before, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const first = request(() => before.promise)
      await transients.remove(kept)
      const second = request(() => gate.promise)
      end(before)
      await first
      expect(await request()).toMatchObject(conflict('idempotency_key_in_use'))
      gate.resolve()
      await second
      expect(await request()).toMatchObject(conflict('idempotency_key_used'))
    },
  )

  it('says after a 503 of its work that the outcome is unknown', async () => {
    const { request } = open()
    const down = new OAuthError(ERRORS.store_unavailable)
    expect(await request(() => Promise.reject(down))).toBe(down)
    expect(await request()).toMatchObject(conflict('idempotency_outcome_unknown'))
  })

  it('has the refusal of its work, though the store cannot free it', async () => {
    const { transients, request } = open()
    transients.remove = () => Promise.reject(new Error('The store is down'))
    expect(await request(() => Promise.reject(new OAuthError(REFUSALS.wrong)))).toMatchObject({ status: 400 })
  })
})
