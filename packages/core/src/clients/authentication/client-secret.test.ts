import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Client } from '../../kernel/records.ts'
import { sha256 } from '../../kernel/secrets.ts'
import { noticeOnce, secretVerifier } from './client-authentication.ts'

const NOW = 1_800_000_000
const DAY = 24 * 60 * 60

/** A replica, with the events that it emits. */
function replica(store = createMemoryStore({ now: () => NOW })) {
  const events: { readonly type: string; readonly clientId?: string }[] = []
  const emit = (event: object) => void events.push(event as never)
  const kernel = { now: () => NOW, emit, store } as unknown as Kernel
  return { verify: secretVerifier(kernel), once: noticeOnce(kernel), events }
}

const client = (members: Partial<Client>) =>
  ({ clientId: 'c', secretHash: sha256('new'), ...members }) as Client
const older = { oldSecretHash: sha256('old'), oldSecretEndsAt: NOW + DAY }

describe('a secret of a client', () => {
  it('that does not end causes no event', async () => {
    const { verify, events } = replica()
    expect(await verify('new', client(older), NOW)).toBe(true)
    expect(events).toEqual([])
  })

  it('that is the older one causes an event for each client, before the answer', async () => {
    const { verify, events } = replica()
    for (const clientId of ['one', 'other', 'one']) await verify('old', client({ clientId, ...older }), NOW)
    const type = 'old_secret_used'
    expect(events).toEqual(['one', 'other'].map((clientId) => ({ type, clientId, endsAt: NOW + DAY })))
  })

  it('that is the older one of a second rotation within an hour causes an event too', async () => {
    const { verify, events } = replica()
    await verify('old', client(older), NOW)
    const second = {
      secretHash: sha256('newer'),
      oldSecretHash: sha256('new'),
      oldSecretEndsAt: NOW + DAY + 60,
    }
    await verify('new', client(second), NOW + 60)
    expect(events).toMatchObject([{ endsAt: NOW + DAY }, { endsAt: NOW + DAY + 60 }])
  })
})

describe('a notice', () => {
  it('is sent by one of several replicas, and its record ends with it', async () => {
    const store = createMemoryStore({ now: () => NOW })
    const sent: string[] = []
    await replica(store).once('n', NOW + 60, () => sent.push('one'))
    await replica(store).once('n', NOW + 60, () => sent.push('other'))
    expect(sent).toEqual(['one'])
    const { value } = (await store.transients?.find(`notice:${sha256('n')}`)) ?? {}
    expect(value).toEqual({ kind: 'notice', expiresAt: NOW + 60 })
  })

  it('may be sent twice by a process that remembers ten thousand others', async () => {
    const { transients, ...store } = createMemoryStore({ now: () => NOW })
    const { once } = replica(store as never)
    let sent = 0
    const remember = (notice: string) => once(notice, NOW + 60, () => sent++)
    for (let number = 0; number < 10_000; number++) remember(`${number}`)
    remember('0')
    expect([transients !== undefined, sent]).toEqual([true, 10_000])
    remember('one more')
    remember('1')
    expect(sent).toBe(10_002)
  })
})
