import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { countersInMemory } from './counters.ts'
import { guessLimits } from './guess-limits.ts'

const START = 1_800_000_000_000
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }))
afterEach(() => void vi.useRealTimers())

const [MINUTE, HOUR, DAY] = [60, 60 * 60, 24 * 60 * 60]
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

function open(email = 'ada@server.example') {
  const limits = guessLimits(countersInMemory)
  const limit = limits.unknownBrowsers(email)
  /** Wrong passwords one after another. @returns the wait before each */
  async function guess(count: number, every = 0): Promise<number[]> {
    const waits: number[] = []
    for (let n = 0; n < count; n++) {
      const wait = await limit.take()
      waits.push(wait)
      if (wait === 0) await limit.wrong()
      pass(every)
    }
    return waits
  }
  /** Wrong passwords, each as soon as it is allowed. @returns the seconds between them */
  async function guessPatiently(count: number): Promise<number[]> {
    const waits: number[] = []
    for (let n = 0; n < count; n++) {
      const wait = await limit.take()
      waits.push(wait)
      pass(wait)
      if (wait > 0) expect(await limit.take(), 'after the wait').toBe(0)
      await limit.wrong()
    }
    return waits
  }
  return { limits, limit, guess, guessPatiently }
}

it('makes unknown browsers wait from the twentieth guess of an hour: a minute, then twice as long, at most fifteen', async () => {
  const { guess, guessPatiently } = open()
  expect(await guess(20)).toEqual(Array(20).fill(0))
  const minutes = (await guessPatiently(8)).map((seconds) => seconds / MINUTE)
  expect(minutes).toEqual([1, 2, 4, 8, 15, 15, 15, 15])
})

it('makes nobody wait for fewer guesses in an hour', async () => {
  const { guess } = open()
  for (let hour = 0; hour < 4; hour++) {
    expect(await guess(19)).toEqual(Array(19).fill(0))
    pass(HOUR)
  }
})

it('neither checks nor counts what is tried during a wait', async () => {
  const { guess, guessPatiently } = open()
  await guess(20)
  expect(new Set(await guess(1000))).toEqual(new Set([MINUTE]))
  expect(await guessPatiently(2), 'as if there had been none').toEqual([MINUTE, 2 * MINUTE])
})

it('checks one guess after a wait, however many come at the same time', async () => {
  const { limit, guess } = open()
  await guess(20)
  pass(MINUTE)
  const waits = await Promise.all(Array.from({ length: 500 }, () => limit.take()))
  expect(waits.filter((wait) => wait === 0)).toHaveLength(1)
})

it('checks no guess after a hundred in a row, until a day has passed without one', async () => {
  const { limit, guess, guessPatiently } = open()
  await guess(20)
  await guessPatiently(80)
  expect(await limit.take()).toBe(DAY)
  pass(DAY - 1)
  expect(await limit.take()).toBe(1)
  pass(1)
  expect(await guess(20), 'everything is forgotten').toEqual(Array(20).fill(0))
})

it('counts a hundred in a row also if they are too slow for a wait', async () => {
  const { limit, guess } = open()
  for (let n = 0; n < 99; n++) expect(await guess(1, 5 * HOUR), `guess ${n}`).toEqual([0])
  expect(await limit.take()).toBe(0)
  expect(await limit.wrong(), 'which is said').toBe(true)
  expect(await limit.take()).toBe(DAY)
})

it('goes on with the waits after a pause, and forgets them after a day', async () => {
  const { guess, guessPatiently, limit } = open()
  await guess(20)
  await guessPatiently(3)
  pass(DAY - 1)
  expect(await limit.take(), 'the wait is over').toBe(0)
  expect(await limit.wrong(), 'and the next one begins').toBe(true)
  expect(await limit.take()).toBe(15 * MINUTE)
  pass(DAY)
  expect(await guess(20)).toEqual(Array(20).fill(0))
})

it.each([
  ['a right password', 'reset'],
  ['a check that failed', 'refund'],
] as const)('makes nobody wait because of %s', async (_, method) => {
  const { limit, guess } = open()
  for (let n = 0; n < 200; n++) {
    expect(await limit.take()).toBe(0)
    await limit[method]()
  }
  expect(await guess(20)).toEqual(Array(20).fill(0))
  pass(MINUTE)
  expect(await limit.take()).toBe(0)
  await limit[method]()
  expect(await limit.take(), 'after the first wait').toBe(0)
})

it('says when it makes others wait', async () => {
  const { limit } = open()
  const slowed: boolean[] = []
  for (let n = 0; n < 20; n++) {
    await limit.take()
    slowed.push(await limit.wrong())
  }
  expect(slowed).toEqual([...Array(19).fill(false), true])
})

it('counts each address for itself, however it is written', async () => {
  const { limits, guess } = open()
  await guess(20)
  expect(await limits.unknownBrowsers(' Ada@server.example').take()).toBe(MINUTE)
  expect(await limits.unknownBrowsers('bob@server.example').take()).toBe(0)
})

it('lets each known browser try ten times in a quarter of an hour, and a hundred times in a row', async () => {
  const { limits, guess } = open()
  await guess(20)
  const [own, other] = [limits.knownBrowser('a'), limits.knownBrowser('b')]
  let wrong = 0
  for (let quarter = 0; quarter < 10; quarter++) {
    for (let n = 0; n < 10; n++) if ((await own.take()) === 0 && !(await own.wrong())) wrong++
    expect(await own.take(), 'the eleventh').toBe(15 * MINUTE)
    pass(15 * MINUTE)
  }
  expect(wrong).toBe(100)
  expect(await own.take()).toBe(DAY - 15 * MINUTE)
  expect(await other.take()).toBe(0)
  pass(DAY)
  for (let n = 0; n < 200; n++) {
    expect(await own.take()).toBe(0)
    await (n % 2 === 0 ? own.reset() : own.refund())
  }
})
