import { createHmac } from 'node:crypto'
import type { Store } from '@grantkit/core'
import type { Transients } from '@grantkit/core/feature'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createWebhooks, type WebhookEvent, type WebhookOptions } from '../src/index.ts'
import { addClient } from './back-channel-service.ts'
import { codeFor, ISSUER, openService, redeem, register } from './service.ts'

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
const SECRET = secretOf(32)
const ENDPOINT = { name: 'crm', url: 'https://crm.dev/hooks', secret: SECRET }
const DAY = 24 * 60 * 60

function open(options: Partial<WebhookOptions> = {}) {
  const clock = { now: 1_800_000_000 }
  const now = () => clock.now
  const store: Store = createMemoryStore({ now })
  const events: WebhookEvent[] = []
  const sent: { url: string; headers: Record<string, string>; body: string }[] = []
  const receiver = { status: 204 }
  const hooks = createWebhooks({
    ...{ issuer: ISSUER, store, endpoints: [ENDPOINT], now, timers: false },
    onEvent: (event) => events.push(event),
    post: async (url, { headers, body }) => {
      sent.push({ url, headers: { ...headers }, body })
      return { status: receiver.status, headers: {} }
    },
    ...options,
  })
  const types = () => sent.map(({ body }) => JSON.parse(body).type)
  const deliver = async () => {
    await hooks.settled()
    await hooks.deliver()
  }
  return { clock, hooks, store, events, sent, receiver, types, deliver }
}

const ADDED = { type: 'client_added', clientId: 'c1' }

describe('a webhook', () => {
  it('has the type, the time and the ids of the event', async () => {
    const { hooks, sent, deliver } = open()
    hooks.onEvent({
      type: 'grant_revoked',
      grantId: 'g',
      clientId: 'c',
      subject: 'alice',
      by: 'user',
    } as never)
    await deliver()
    expect(sent.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      [
        ENDPOINT.url,
        {
          type: 'grant.ended',
          timestamp: '2027-01-15T08:00:00.000Z',
          data: { grant_id: 'g', client_id: 'c', subject: 'alice', by: 'user' },
        },
      ],
    ])
  })

  it('keeps its id at every attempt, and is signed anew', async () => {
    const { hooks, sent, receiver, clock, deliver } = open()
    receiver.status = 500
    hooks.onEvent(ADDED)
    await deliver()
    clock.now += 10
    await deliver()
    const [one, other] = sent.map(({ headers }) => headers)
    expect(one?.['webhook-id']).toMatch(/^msg_[\w-]{22}$/)
    expect(other?.['webhook-id']).toBe(one?.['webhook-id'])
    expect(other?.['webhook-timestamp']).toBe(String(clock.now))
    expect(other?.['webhook-signature']).not.toBe(one?.['webhook-signature'])
    const signed = [other?.['webhook-id'], clock.now, sent[1]?.body].join('.')
    const signature = createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64')
    expect(other).toMatchObject({
      'content-type': 'application/json',
      'webhook-signature': `v1,${signature}`,
    })
  })

  it('has two signatures while the secret is rotated', async () => {
    const old = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    const { hooks, sent, deliver } = open({ endpoints: [{ ...ENDPOINT, secret: [SECRET, old] }] })
    hooks.onEvent(ADDED)
    await deliver()
    expect(sent[0]?.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)
  })

  it('tells an endpoint only the types it names', async () => {
    const { hooks, types, deliver } = open({ endpoints: [{ ...ENDPOINT, types: ['grant.reuse_detected'] }] })
    hooks.onEvent(ADDED)
    hooks.onEvent({ type: 'grant_ended', grantId: 'g', clientId: 'c', reason: 'code_replayed' } as never)
    await deliver()
    expect(types()).toEqual(['grant.reuse_detected'])
  })

  it('says nothing of events that nobody outside can act on', async () => {
    const { hooks, sent, deliver } = open()
    for (const type of ['refused', 'step', 'code_redeemed', 'toString', '__proto__']) hooks.onEvent({ type })
    await deliver()
    expect(sent).toEqual([])
  })

  it('comes from a server as things happen there', async () => {
    const { hooks, types, deliver, sent } = open()
    const service = openService({ onEvent: hooks.onEvent })
    await addClient(service, { backchannelLogoutUri: undefined, postLogoutRedirectUris: undefined })
    const client = await register(service)
    await redeem(service, client, await codeFor(service, client.clientId))
    await service.server.grants.revokeAll('alice', { by: 'user' })
    await deliver()
    expect(types().sort()).toEqual(['client.added', 'consent.granted', 'grant.ended'])
    expect(JSON.stringify(sent), 'no token, code or name').not.toMatch(/gk[acr]_|Alice|Test client/)
  })
})

describe('a message that does not arrive is reported', () => {
  const LOST = { type: 'webhook_undelivered', endpoint: 'crm', count: 1 }

  it('if the endpoint refuses it', async () => {
    const { hooks, events, receiver, sent, deliver } = open()
    receiver.status = 410
    hooks.onEvent(ADDED)
    await deliver()
    const report = { ...LOST, about: 'client.added', why: 'refused', attempts: 1, status: 410 }
    const disabled = { type: 'webhook_disabled', endpoint: 'crm', why: 'gone' }
    expect([sent.length, events]).toEqual([1, [report, disabled]])
  })

  it('if it is larger than 20 KB', async () => {
    const { hooks, events, sent, deliver } = open()
    const send = async (members: string) => {
      hooks.onEvent({ type: 'client_changed', clientId: 'c', members } as never)
      await deliver()
    }
    await send('')
    const most = 20 * 1024 - (sent[0]?.body.length ?? 0)
    await send('x'.repeat(most))
    expect(events).toEqual([])
    await send('x'.repeat(most + 1))
    expect([sent.length, events]).toEqual([2, [{ ...LOST, about: 'client.changed', why: 'too_large' }]])
  })

  it('if it cannot be stored for a minute', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { hooks, events, store, clock } = open()
    const cause = new Error('down')
    Object.assign(store.transients as object, { insert: () => Promise.reject(cause) })
    hooks.onEvent(ADDED)
    clock.now += 59
    await vi.advanceTimersByTimeAsync(59_000)
    expect(events).toEqual([])
    clock.now += 2
    await vi.advanceTimersByTimeAsync(2000)
    expect(events).toEqual([{ ...LOST, about: 'client.added', why: 'not_stored', cause }])
  })

  it('if no process knows its endpoint until it expires', async () => {
    const { hooks, store } = open()
    hooks.onEvent(ADDED)
    await hooks.settled()
    const { sent, events, clock, deliver } = open({ store, endpoints: [] })
    await deliver()
    clock.now += 30 * 60 * 60 - 1
    await deliver()
    expect([sent, events]).toEqual([[], []])
    clock.now += 1
    await deliver()
    const expired = { ...LOST, about: 'client.added', why: 'expired', attempts: 0 }
    expect([sent, events]).toEqual([[], [expired]])
  })
})

it('a process leaves the messages of an endpoint that it does not know to others', async () => {
  const { hooks, store } = open()
  hooks.onEvent(ADDED)
  await hooks.settled()
  const older = open({ store, endpoints: [] })
  await older.deliver()
  const newer = open({ store })
  await newer.deliver()
  expect([newer.sent.length, older.events]).toEqual([1, []])
})

describe('an endpoint', () => {
  it('that answers 410 gets nothing any more, until it is enabled', async () => {
    const { hooks, sent, receiver, events, clock, deliver } = open()
    receiver.status = 410
    for (let time = 0; time < 2; time++) hooks.onEvent(ADDED)
    await deliver()
    receiver.status = 200
    for (const days of [3649, 0]) {
      hooks.onEvent(ADDED)
      await deliver()
      clock.now += days * DAY
    }
    expect(sent).toHaveLength(2)
    const disabled = { type: 'webhook_disabled', endpoint: 'crm', why: 'gone' }
    expect(events.filter(({ type }) => type === 'webhook_disabled')).toEqual([disabled])
    expect(await hooks.endpoints()).toMatchObject([{ name: 'crm', isDisabled: true }])
    for (let time = 0; time < 2; time++) await hooks.enable('crm')
    expect(events.filter(({ type }) => type === 'webhook_enabled')).toHaveLength(1)
    expect(await hooks.endpoints()).toMatchObject([{ name: 'crm', isDisabled: false }])
    hooks.onEvent(ADDED)
    await deliver()
    expect(sent).toHaveLength(3)
  })

  it('that fails for five days and ten messages gets nothing any more', async () => {
    const { hooks, sent, receiver, events, clock, deliver } = open()
    receiver.status = 500
    for (let time = 0; time < 6; time++) hooks.onEvent(ADDED)
    await deliver()
    const disabled = { type: 'webhook_disabled', endpoint: 'crm', why: 'failing' }
    for (const seconds of [0, DAY, 4 * DAY - 1, 1]) {
      expect(events).not.toContainEqual(disabled)
      clock.now += seconds
      hooks.onEvent(ADDED)
      await deliver()
    }
    expect(events).toContainEqual(disabled)
    const tries = sent.length
    hooks.onEvent(ADDED)
    await deliver()
    expect(sent).toHaveLength(tries)
  })

  it('that is quiet and fails twice, days apart, hears of the next event', async () => {
    const { hooks, sent, receiver, events, clock, deliver } = open()
    for (const status of [500, 204, 503]) {
      receiver.status = status
      if (status !== 204) hooks.onEvent(ADDED)
      if (status !== 204) await deliver()
      clock.now += 6 * DAY
    }
    receiver.status = 200
    hooks.onEvent(ADDED)
    const before = sent.length
    await deliver()
    expect(sent.length).toBeGreaterThan(before)
    expect(events.filter(({ type }) => type === 'webhook_disabled')).toEqual([])
  })

  it.each([301, 400, 401, 404])('that answers %d gets the message again', async (status) => {
    const { hooks, sent, receiver, events, clock, deliver } = open()
    receiver.status = status
    hooks.onEvent(ADDED)
    await deliver()
    receiver.status = 204
    clock.now += 10
    await deliver()
    expect([sent.length, events]).toEqual([2, []])
  })

  it('does not fail when the store does', async () => {
    const { hooks, store, sent, events, clock, deliver } = open()
    const { find } = store.transients as Transients
    hooks.onEvent(ADDED)
    await hooks.settled()
    Object.assign(store.transients as object, {
      find: (id: string) =>
        id.startsWith('webhook-endpoint') ? Promise.reject(new Error('down')) : find(id),
    })
    await deliver()
    expect(sent).toEqual([])
    expect(events).toMatchObject([{ type: 'outbox_failed' }])
    Object.assign(store.transients as object, { find })
    expect(await hooks.endpoints()).toMatchObject([
      { name: 'crm', isDisabled: false, failingSince: undefined },
    ])
    clock.now += 60
    await deliver()
    expect(sent).toHaveLength(1)
  })

  it('that failed and recovers begins to count anew', async () => {
    const { hooks, receiver, events, clock, deliver } = open()
    for (let day = 0; day < 12; day++) {
      receiver.status = day % 4 === 3 ? 200 : 500
      hooks.onEvent(ADDED)
      await deliver()
      clock.now += DAY
    }
    expect(events.filter(({ type }) => type === 'webhook_disabled')).toEqual([])
  })

  it.each([
    ['http', { url: 'http://crm.dev/hooks' }],
    ['a private address', { url: 'https://10.0.0.1/hooks' }],
    ['a secret without its prefix', { secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
    ['a secret with another prefix', { secret: `x${SECRET}` }],
    ['a secret with more behind it', { secret: `${SECRET} ` }],
    ['a short secret', { secret: secretOf(23) }],
    ['a long secret', { secret: secretOf(65) }],
    ['no secret', { secret: [] }],
    ['an unknown type', { types: ['grant.made'] as never }],
  ])('with %s is refused at creation', (_, wrong) => {
    expect(() => open({ endpoints: [{ ...ENDPOINT, ...wrong }] })).toThrow('webhooks: ')
    expect(() => open({ endpoints: [{ ...ENDPOINT, secret: [secretOf(24), secretOf(64)] }] })).not.toThrow()
  })

  it('with the name of another one is refused at creation', () => {
    expect(() => open({ endpoints: [ENDPOINT, ENDPOINT] })).toThrow('webhooks: two endpoints have one name')
    expect(() => open({ endpoints: [ENDPOINT, { ...ENDPOINT, name: 'erp' }] })).not.toThrow()
  })

  it('waits in the store, which therefore needs transients', () => {
    const store = { ...createMemoryStore(), transients: undefined }
    expect(() => open({ store })).toThrow('webhooks: the store has no transients')
  })
})

/** Processes that share a store and a host, both with delays, in virtual time. */
function openSlow({ storeMs = 4, answerMs = 50, ...options }: Partial<SlowOptions> = {}) {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
  onTestFinished(() => void vi.useRealTimers())
  const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
  let seed = 1
  const fraction = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const now = () => Math.floor(Date.now() / 1000)
  const random = ((size: number) => Uint8Array.from({ length: size }, () => 256 * fraction())) as never
  const store: Store = createMemoryStore({ now })
  for (const name of ['find', 'insert', 'replace', 'remove'] as const) {
    const transients = store.transients as unknown as Record<string, (...args: unknown[]) => unknown>
    const method = transients[name] as (...args: unknown[]) => unknown
    transients[name] = async (...args) => {
      await sleep(storeMs * (0.5 + fraction() / 2))
      const result = await method(...args)
      await sleep(storeMs * fraction())
      return result
    }
  }
  const events: WebhookEvent[] = []
  const ids: string[] = []
  const types: string[] = []
  const process = (more: Partial<WebhookOptions> = {}) =>
    createWebhooks({
      ...{ issuer: ISSUER, store, endpoints: [ENDPOINT], now, random },
      onEvent: (event) => events.push(event),
      post: async (_, { headers, body }) => {
        ids.push(String(headers['webhook-id']))
        const { type, data } = JSON.parse(body)
        types.push(`${type} ${data.subject}`)
        await sleep(answerMs)
        return { status: 204, headers: {} }
      },
      ...options,
      ...more,
    })
  return { store, events, ids, types, process, run: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
}
interface SlowOptions extends WebhookOptions {
  /** The longest time to or from the store, in milliseconds. */
  readonly storeMs: number
  /** Until the endpoint answers, in milliseconds. */
  readonly answerMs: number
}

describe('many processes at one store', () => {
  it('lose no message, however many store one for the same endpoint at once', async () => {
    const { process, events, ids, run } = openSlow({ timers: false })
    const processes = Array.from({ length: 64 }, () => process())
    for (let time = 0; time < 40; time++) {
      for (const { onEvent } of processes) onEvent(ADDED)
      await run(50)
    }
    await run(30_000)
    expect(events).toEqual([])
    const delivered = processes[0]?.deliver()
    await run(300_000)
    await delivered
    expect([ids.length, new Set(ids).size, events]).toEqual([2560, 2560, []])
  })

  it('deliver while others store, each message once', async () => {
    const { process, events, ids, run } = openSlow()
    const processes = Array.from({ length: 16 }, () => process())
    for (let time = 0; time < 40; time++) {
      for (const { onEvent } of processes) onEvent(ADDED)
      await run(50)
    }
    await run(120_000)
    expect([ids.length, new Set(ids).size, events]).toEqual([640, 640, []])
  })

  it.each([1, 4, 12])('post each message once to a slow host with %d endpoints', async (count) => {
    const endpoints = Array.from({ length: count }, (_, index) => ({ ...ENDPOINT, name: `e${index}` }))
    const { process, events, ids, run } = openSlow({ answerMs: 4000, endpoints, timers: false })
    const [one, other] = [process(), process()]
    for (let time = 0; time < 32; time++) one.onEvent(ADDED)
    await run(1000)
    for (let minute = 0; minute < 5; minute++) {
      void one.deliver()
      void other.deliver()
      await run(60_000)
    }
    expect([ids.length, new Set(ids).size, events]).toEqual([32 * count, 32 * count, []])
  })

  it('deliver all that is about others when one user floods the endpoint', async () => {
    const { process, events, types, run } = openSlow({ answerMs: 4000, timers: false })
    const { onEvent, deliver } = process()
    for (let user = 0; user < 60; user++) onEvent({ type: 'account_disabled', subject: `u${user}` } as never)
    for (let time = 0; time < 10_500; time++)
      onEvent({ type: 'consent_granted', grantId: 'g', clientId: 'c', subject: 'flood' } as never)
    await run(1000)
    void deliver()
    await run(60_000)
    const others = types.filter((type) => type.startsWith('account.disabled'))
    expect(new Set(others).size).toBe(60)
    const flooded = { why: 'overflow', about: 'consent.granted', subject: 'flood', count: 1560 }
    expect(events).toMatchObject([flooded])
  })

  it('keep a message in memory while the store is away, a minute at most', async () => {
    const { process, store, events, ids, run } = openSlow()
    const { onEvent, settled } = process()
    const { insert } = store.transients as Transients
    const cause = new Error('away')
    Object.assign(store.transients as object, { insert: () => Promise.reject(cause) })
    onEvent(ADDED)
    await run(50_000)
    Object.assign(store.transients as object, { insert })
    await run(10_000)
    await settled()
    expect([ids.length, events]).toEqual([1, []])
  })
})
