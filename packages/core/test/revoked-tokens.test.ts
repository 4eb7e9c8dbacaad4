import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OAuthError } from '@grantkit/core'
import { systemTime, type Time } from '@grantkit/core/feature'
import { revokedTokens } from '@grantkit/core/jwt-resource-server'
import { afterEach, expect, it, vi } from 'vitest'

/** The feed as a guard reads it on a runtime without timers: a Worker ends them with their request, and Lambda freezes them. */

const toClose: (() => void)[] = []
/** The first timer, which is that of the interval, never fires. The others end a wait of a request. */
function timeWithoutInterval(): Time {
  let count = 0
  return {
    ...systemTime,
    after: (milliseconds, work) => (count++ === 0 ? () => {} : systemTime.after(milliseconds, work)),
  }
}
afterEach(() => {
  for (const close of toClose.splice(0)) close()
})

const answer = (response: ServerResponse, ended: string[] = []) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ ended, next: 'n' }))

/** A feed whose answers are made by `respond`, and a guard's view of it that is at most five seconds old. */
async function openFeed(respond: (response: ServerResponse, count: number) => unknown) {
  let count = 0
  const server = createServer((_, response) => void respond(response, ++count))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const clock = { now: 1_800_000_000 }
  const errors: unknown[] = []
  const ended = revokedTokens({
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ended`,
    clientId: 'api',
    clientSecret: 'secret',
    now: () => clock.now,
    time: timeWithoutInterval(),
    onError: (error) => void errors.push(error),
  })
  toClose.push(() => server.close().closeAllConnections(), ended.close)
  /** As a guard does. */
  const isRevoked = async (jti: string) => {
    await ended.refreshIfOld()
    return ended.has(jti)
  }
  return { clock, errors, ended, isRevoked, count: () => count }
}

it('is read by the first request, and not before', async () => {
  const { isRevoked, count } = await openFeed((response) => answer(response, ['a.b']))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(count()).toBe(0)
  expect(await isRevoked('a.b')).toBe(true)
  expect(count()).toBe(1)
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
  const { isRevoked, count } = await openFeed((response) => setTimeout(answer, 20, response, ['a.b']))
  const requests = Array.from({ length: 20 }, () => isRevoked('a.b'))
  expect(new Set(await Promise.all(requests))).toEqual(new Set([true]))
  expect(count()).toBe(1)
})

it('that fails is not read again for each request, and the last answer counts until it is stale', async () => {
  const { clock, errors, isRevoked, count } = await openFeed((response, nth) =>
    nth === 1 ? answer(response, ['a.b']) : response.writeHead(500).end(),
  )
  expect(await isRevoked('a.b')).toBe(true)
  clock.now += 6
  for (let request = 0; request < 5; request++) expect(await isRevoked('a.b')).toBe(true)
  expect([count(), errors.length]).toEqual([2, 1])
  clock.now += 25
  await expect(isRevoked('a.b')).rejects.toThrow(OAuthError)
  expect(count()).toBe(3)
})

it('is read anew if the runtime has cut off the request that was reading it', async () => {
  const { clock, isRevoked, count } = await openFeed((response, nth) => nth > 1 && answer(response, ['a.b']))
  void isRevoked('a.b').catch(() => {})
  await vi.waitFor(() => expect(count()).toBe(1))
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
