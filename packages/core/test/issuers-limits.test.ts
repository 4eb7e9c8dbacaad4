import type { Feature, RateLimiter } from '@grantkit/core'
import type { IssuersOptions } from '@grantkit/core/issuers'
import { expect, it } from 'vitest'
import { openIssuers, PATHS } from './issuers-service.ts'
import { REDIRECT_URI, type ServiceScope } from './service.ts'

/** What each issuer may use up of the limits of a process. */

type Limiter = Parameters<Feature>[0]['limiter']

/** Issuers at paths with a limit of two guesses, and with their limiters. */
async function openLimiters(
  overrides: Partial<IssuersOptions<ServiceScope>> = {},
  more: { rateLimiter?: RateLimiter } = {},
) {
  const opened = openIssuers(overrides)
  const limiters = new Map<string, Limiter>()
  const usual = opened.options.getMockImplementation()
  opened.options.mockImplementation(async (key, own) => {
    const keepLimiter: Feature = ({ limiter }) => {
      limiters.set(key, limiter)
      return { rateLimits: { guess: { points: 2, seconds: 600, withoutLimiter: true } } }
    }
    return { ...(await usual?.(key, own)), ...more, features: [keepLimiter] } as never
  })
  for (const key of PATHS) await opened.byPaths.find(key)
  const take = async (issuer: string, caller: string) => await limiters.get(issuer)?.take('guess', caller)
  const refund = async (issuer: string, caller: string) => await limiters.get(issuer)?.refund('guess', caller)
  return { ...opened, take, refund }
}

it.each([true, false])(
  'an issuer has counters of its own in a rate limiter of all (refunds: %s)',
  async (refunds) => {
    const counted: string[] = []
    const count = (verb: string) => async (limit: string, key: string) => {
      counted.push(`${verb} ${limit} ${key}`)
      return 0
    }
    const refund = async (limit: string, key: string) => void (await count('refund')(limit, key))
    const rateLimiter = { take: count('take'), ...(refunds && { refund }) }
    const { take, refund: giveBack, events } = await openLimiters({}, { rateLimiter })
    for (const key of PATHS) {
      await take(key, '203.0.113.7')
      await giveBack(key, '203.0.113.7')
    }
    const verbs = refunds ? ['take', 'refund'] : ['take']
    expect(counted).toEqual(PATHS.flatMap((key) => verbs.map((verb) => `${verb} guess ${key} 203.0.113.7`)))
    expect(events).toEqual([])
  },
)

it('an issuer that was dropped, or has another version, gives its callers no new attempts', async () => {
  const { byPaths, options, versions, serviceAt } = openIssuers({ most: 1 })
  const usual = options.getMockImplementation()
  options.mockImplementation(
    async (key, own) => ({ ...(await usual?.(key, own)), registration: true }) as never,
  )
  const json = { redirect_uris: [REDIRECT_URI] }
  const registered = async (key: string) => {
    const message = { json, remoteAddress: '203.0.113.7' }
    return (await (await serviceAt(key)).send('POST', '/api/oauth/register', message)).status
  }
  for (let count = 0; count < 100; count++) expect(await registered('a')).toBe(201)
  await byPaths.find('b')
  versions.set('a', '2')
  expect([await registered('a'), await registered('b')]).toEqual([429, 201])
})

it('an issuer counts its callers, however many another one has', async () => {
  const { take } = await openLimiters()
  for (let count = 0; count < 2; count++) await take('a', 'caller')
  for (let number = 0; number < 60_000; number++) await take('b', `caller ${number}`)
  expect(await take('a', 'caller')).toBe(600)
})

it('an issuer that used its share of a total leaves the rest to the others', async () => {
  const { take } = await openLimiters({ totals: { guess: { points: 4, seconds: 60, share: 0.5 } } })
  const answers: unknown[] = []
  for (const [caller, issuer] of ['a', 'a', 'a', 'a', 'b', 'b', 'b'].entries())
    answers.push(await take(issuer, `caller ${caller}`))
  expect(answers).toEqual([0, 0, 60, 60, 0, 0, 60])
})

it('all issuers are over their total until its window ends', async () => {
  const { take, clock } = await openLimiters({ totals: { guess: { points: 2, seconds: 60, share: 1 } } })
  expect([await take('a', 'one'), await take('b', 'one'), await take('b', 'two')]).toEqual([0, 0, 60])
  clock.now += 60
  expect(await take('b', 'two')).toBe(0)
})

it('a total counts no event that an issuer itself refuses, and none that is refunded', async () => {
  const { take, refund } = await openLimiters({ totals: { guess: { points: 3, seconds: 60, share: 1 } } })
  const taken: unknown[] = []
  for (const caller of ['one', 'one', 'one', 'two', 'three']) taken.push(await take('a', caller))
  expect(taken).toEqual([0, 0, 600, 0, 60])
  for (const caller of ['two', 'three']) await refund('a', caller)
  expect([await take('a', 'four'), await take('b', 'five'), await take('b', 'six')]).toEqual([0, 0, 60])
})

it.each([
  ['points', { points: 0, seconds: 1, share: 1 }],
  ['seconds', { points: 1, seconds: 0, share: 1 }],
  ['share', { points: 1, seconds: 1, share: 0 }],
  ['share', { points: 1, seconds: 1, share: 1.1 }],
  ['share', { points: 1, seconds: 1, share: Number.NaN }],
])('a total with these %s is refused: %j', (member, guess) => {
  expect(() => openIssuers({ totals: { guess } })).toThrow(`totals.guess.${member} must be `)
})
