import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { DocumentFetchResponse } from '../http/outbound.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { fetchedKeys } from './fetched-keys.ts'

const URI = 'https://app.dev/keys'
const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const answer = (members: unknown, changed: Partial<DocumentFetchResponse> = {}): DocumentFetchResponse => ({
  status: 200,
  headers: { 'content-type': 'application/jwk-set+json' },
  body: JSON.stringify(members),
  ...changed,
})

/** A host that answers as `host.answer` says, and fails where that is an error. */
function open(...chosenBy: ['operator'] | []) {
  const clock = { now: 1_800_000_000 }
  const host = { requests: 0, answer: answer({ keys: [jwk] }) as DocumentFetchResponse | Error }
  const events: object[] = []
  const kernel = { now: () => clock.now, emit: (event: object) => void events.push(event) }
  const keysAt = fetchedKeys(
    kernel as unknown as Kernel,
    async () => {
      host.requests++
      if (host.answer instanceof Error) throw host.answer
      return host.answer
    },
    ...chosenBy,
  )
  return { clock, host, events, ask: (age: number, uri = URI) => keysAt(uri, clock.now - age) }
}

const UNREACHABLE = { reason: 'client_keys_unreachable', status: 503 }

describe('the keys behind an address', () => {
  it('are fetched once for concurrent requests, and cached', async () => {
    const { clock, host, ask } = open()
    const all = await Promise.all([1, 2, 3].map(() => ask(300)))
    expect(all.map((keys) => keys.length)).toEqual([1, 1, 1])
    clock.now += 300
    await ask(300)
    expect(host.requests).toBe(1)
    clock.now += 1
    await ask(300)
    expect(host.requests).toBe(2)
  })

  it('are fetched at most once a minute, however many unknown keys requests name', async () => {
    const { clock, host, ask } = open()
    for (let second = 0; second < 120; second++) {
      for (let time = 0; time < 10; time++) await ask(60)
      clock.now++
    }
    expect(host.requests).toBe(2)
  })

  it('are used for an hour while the host is unreachable, with few fetches', async () => {
    const { clock, host, events, ask } = open()
    await ask(300)
    host.answer = Object.assign(new Error('no way'), { code: 'connect' })
    for (let minute = 0; minute < 59; minute++) {
      clock.now += 60
      expect(await ask(60)).toHaveLength(1)
    }
    expect(host.requests).toBeLessThan(20)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'client_keys_failed', jwksUri: URI, fault: 'connect' }),
    )
    clock.now += 60
    await expect(ask(60)).rejects.toMatchObject(UNREACHABLE)
    clock.now += 300
    host.answer = answer({ keys: [jwk, jwk] })
    expect(await ask(60)).toHaveLength(2)
  })

  it.each<[string, DocumentFetchResponse | Error, string]>([
    [
      'a redirect',
      answer({}, { status: 302, headers: { location: 'http://169.254.169.254/' } }),
      'status 302',
    ],
    ['an error', answer({ keys: [jwk] }, { status: 500 }), 'status 500'],
    ['nothing', answer({}, { status: 404 }), 'status 404'],
    ['a page', answer({ keys: [jwk] }, { headers: { 'content-type': 'text/html' } }), 'type'],
    ['another JSON', answer({ key: jwk }), 'no key set'],
    ['no JSON', answer({}, { body: 'keys' }), 'no JSON object'],
    ['too much', answer({ keys: [jwk], padding: 'x'.repeat(64 * 1024) }), 'size'],
    ['no answer', Object.assign(new Error('private address'), { code: 'address' }), 'address'],
    ['a fetch that throws nothing known', new Error('boom'), 'no key set'],
  ])(
    'cannot be fetched from %s: the error says to retry, and only the log has the cause',
    async (_, input, fault) => {
      const { host, events, ask } = open()
      host.answer = input
      await expect(ask(300)).rejects.toMatchObject({ ...UNREACHABLE, retryAfter: 5, facts: { fault } })
      expect(events).toMatchObject([{ type: 'client_keys_failed', jwksUri: URI, fault }])
      await expect(ask(300)).rejects.toMatchObject(UNREACHABLE)
      expect(host.requests).toBe(1)
    },
  )

  it('are cached for a thousand addresses, the latest ones', async () => {
    const { clock, host, ask } = open()
    const at = (number: number) => ask(3600, `https://app${number}.dev/keys`)
    for (let number = 0; number < 1000; number++) {
      clock.now += 2
      await at(number)
    }
    await ask(-1, 'https://app0.dev/keys')
    await at(1000)
    expect(host.requests).toBe(1002)
    for (const number of [0, 2, 1000]) await at(number)
    expect(host.requests).toBe(1002)
    await at(1)
    expect(host.requests).toBe(1003)
  })

  it.each<[string, ['operator'] | [], number]>([
    ['60 addresses a minute that clients choose', [], 60],
    ['all addresses that the operator chose', ['operator'], 100],
  ])('are fetched from %s', async (_, chosenBy, most) => {
    const { host, ask } = open(...chosenBy)
    for (let number = 0; number < 100; number++)
      await ask(300, `https://app.site${number}.dev/keys`).catch(() => undefined)
    expect(host.requests).toBe(most)
  })

  it('leave out those that verify no signature here', async () => {
    const { host, ask } = open()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const others = [{ kty: 'oct', k: 'AAAA' }, { kty: 'XYZ' }, null, privateKey.export({ format: 'jwk' })]
    host.answer = answer({ keys: [...others, { ...jwk, use: 'enc' }, { ...jwk, kid: 'good' }] })
    expect(await ask(300)).toMatchObject([{ kid: 'good' }])
  })
})
