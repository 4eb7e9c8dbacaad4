import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OAuthError } from '@grantkit/core'
import { systemTime, type Time } from '@grantkit/core/internal'
import { type RevokedTokensOptions, revokedTokens } from '@grantkit/core/jwt-resource-server'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'

/** The feed as a guard reads it on a runtime without timers: a Worker ends them with their request, and Lambda freezes them. */

const toClose: (() => void)[] = []
/** Timers that fire when the test says so. */
function manualTimers() {
  const timers = new Map<() => void, number>()
  const after: Time['after'] = (milliseconds, work) => {
    timers.set(work, milliseconds)
    return () => void timers.delete(work)
  }
  const fire = () => {
    const due = [...timers.keys()]
    timers.clear()
    for (const work of due) work()
  }
  return { time: { ...systemTime, after }, fire, waits: () => [...timers.values()] }
}
afterEach(() => {
  for (const close of toClose.splice(0)) close()
})

const answer = (response: ServerResponse, ended: string[] = []) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ ended, next: 'n' }))

/** A feed whose answers are made by `respond`, and a guard's view of it that is at most five seconds old. */
async function openFeed(
  respond: (response: ServerResponse, count: number) => unknown,
  options: Partial<RevokedTokensOptions> = {},
) {
  let count = 0
  const server = createServer((_, response) => void respond(response, ++count))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const clock = { now: 1_800_000_000 }
  const errors: unknown[] = []
  const { time, ...timers } = manualTimers()
  const ended = revokedTokens({
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ended`,
    clientId: 'api',
    clientSecret: 'secret',
    now: () => clock.now,
    time,
    onError: (error) => void errors.push(error),
    ...options,
  })
  toClose.push(() => server.close().closeAllConnections(), ended.close)
  /** As a guard does. */
  const isRevoked = async (jti: string) => {
    await ended.refreshIfOld()
    return ended.has(jti)
  }
  return { clock, errors, ended, isRevoked, ...timers, count: () => count }
}

it('is read by the first request, and not before', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch')
  onTestFinished(() => fetched.mockRestore())
  const { isRevoked, waits } = await openFeed((response) => answer(response, ['a.b']))
  expect([fetched.mock.calls, waits()]).toEqual([[], []])
  expect([await isRevoked('a.b'), fetched.mock.calls.length]).toEqual([true, 1])
})

it('is read again before a request if the last answer is older than the interval', async () => {
  const { clock, ended, isRevoked, count } = await openFeed((response, nth) =>
    answer(response, nth === 1 ? [] : ['grant']),
  )
  expect(await isRevoked('grant.token')).toBe(false)
  clock.now += 5
  expect(ended.refreshIfOld(), 'nothing to wait for').toBeUndefined()
  expect([await isRevoked('grant.token'), count()]).toEqual([false, 1])
  clock.now += 1
  expect([await isRevoked('grant.token'), count()]).toEqual([true, 2])
})

it('is read once for requests that arrive together', async () => {
  const together = Promise.withResolvers<void>()
  const { isRevoked, count } = await openFeed((response) =>
    together.promise.then(() => answer(response, ['a.b'])),
  )
  const requests = Array.from({ length: 20 }, () => isRevoked('a.b'))
  together.resolve()
  expect(new Set(await Promise.all(requests))).toEqual(new Set([true]))
  expect(count()).toBe(1)
})

it('that fails is not read again for each request, and the last answer counts until it is stale', async () => {
  const { clock, errors, isRevoked, count } = await openFeed((response, nth) =>
    answer(Object.assign(response, { statusCode: nth === 1 ? 200 : 500 }), ['a.b']),
  )
  expect(await isRevoked('a.b')).toBe(true)
  clock.now += 6
  for (let request = 0; request < 5; request++) expect(await isRevoked('a.b')).toBe(true)
  expect([count(), errors]).toEqual([2, [new Error('The revocation feed answered 500')]])
  clock.now += 5
  expect([await isRevoked('a.b'), count()], 'after the interval').toEqual([true, 3])
  clock.now += 20
  await expect(isRevoked('a.b')).rejects.toThrow(OAuthError)
  expect(count()).toBe(4)
})

it('is read anew if the runtime has cut off the request that was reading it', async () => {
  const { clock, isRevoked, count } = await openFeed((response, nth) => nth > 1 && answer(response, ['a.b']))
  void isRevoked('a.b').catch(() => {})
  await expect.poll(count).toBe(1)
  clock.now += 7
  expect([await isRevoked('a.b'), count()]).toEqual([true, 2])
})

it('is not read elsewhere: a redirect would get the secret of the client', async () => {
  const { errors, isRevoked, count } = await openFeed((response, nth) =>
    nth > 1 ? answer(response) : response.writeHead(307, { location: '/elsewhere' }).end(),
  )
  await expect(isRevoked('a.b')).rejects.toThrow('revocation feed')
  expect([errors.length, count()]).toEqual([1, 1])
})

it('is read at intervals from the first request, one answer at a time, until it is closed', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch')
  onTestFinished(() => fetched.mockRestore())
  const { ended, isRevoked, fire, waits } = await openFeed((response, nth) => nth === 1 && answer(response))
  for (const _ of [1, 2]) expect([await isRevoked('a.b'), waits()]).toEqual([false, [5000]])
  fire()
  // Still without an answer.
  fire()
  expect(waits()).toEqual([5000])
  const form = 'client_id=api&client_secret=secret'
  expect(fetched.mock.calls.map(([, sent]) => String(sent?.body))).toEqual([form, `${form}&since=n`])
  ended.close()
  expect(waits()).toEqual([])
})

it('that is closed before the first request is read for requests only', async () => {
  const { ended, isRevoked, waits } = await openFeed((response) => answer(response, ['a.b']))
  ended.close()
  expect([await isRevoked('a.b'), waits()]).toEqual([true, []])
})

it('that cannot be read is logged to the console unless configured', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => logged.mockRestore())
  const { ended } = await openFeed((response) => response.destroy(), { onError: undefined })
  await ended.refreshIfOld()
  expect(logged).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('revocation feed'),
    expect.any(Error),
  )
})
