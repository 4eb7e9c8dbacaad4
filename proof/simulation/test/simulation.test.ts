import { describe, expect, it } from 'vitest'
import { judgeRun } from '../src/history/judge-run.ts'
import { distinctSeeds } from '../src/plan/distinct-seeds.ts'
import { planOf } from '../src/plan/plans.ts'
import { PLANTED } from '../src/planted/planted-faults.ts'
import { checkSeed } from '../src/run/check-seed.ts'
import { failureLines } from '../src/run/report.ts'
import { simulate } from '../src/run/simulate.ts'
import { seedOfDay } from '../src/scheduler/seed-of-day.ts'
import { VirtualTime } from '../src/scheduler/virtual-time.ts'
import type { Plant } from '../src/service/replica.ts'
import { KEPT_PLANS } from './kept-plans.ts'

const SMALL = 10

describe('a simulation', () => {
  it.each([1, 2, 3, 4, 5, 6])('of seed %i shows no fault of core', async (seed) => {
    const plan = planOf(seed, SMALL)
    const run = await simulate(plan)
    expect(run.steps).toBeGreaterThan(0)
    expect(judgeRun(plan, run).faults).toEqual([])
  })

  it('is the same history again, and takes hours that nobody waits for', async () => {
    const plan = planOf(8, SMALL)
    const [one, other] = [await simulate(plan), await simulate(plan)]
    expect(one.hash()).toBe(other.hash())
    expect(one.operations).toEqual(other.operations)
    expect(one.lasted).toBeGreaterThan(60_000)
  })

  it('is the same again with ID tokens, which are signed on another thread', async () => {
    let signed = 0
    const count: Plant = {
      handle: (handle) => async (request) => {
        const response = await handle(request)
        if (response.body.includes('"id_token":"')) signed++
        return response
      },
    }
    const small = planOf(8, SMALL)
    const plan = { ...small, apps: small.apps.map((app) => ({ ...app, openid: true })) }
    const [one, other] = [await simulate(plan, count), await simulate(plan, count)]
    expect(signed).toBeGreaterThan(0)
    expect(one.hash()).toBe(other.hash())
    expect(judgeRun(plan, one).faults).toEqual([])
  })

  it('reaches devices that get their tokens and devices that are denied, and users who end all grants', async () => {
    const answers = new Set<string>()
    const events = new Set<string>()
    for (let seed = 1; seed <= 12; seed++) {
      const run = await simulate(planOf(seed, SMALL))
      for (const { f, result, error } of run.operations) answers.add([f, result, error].join(' ').trim())
      for (const type of run.events.keys()) events.add(type)
    }
    expect([...answers]).toEqual(
      expect.arrayContaining([
        'poll ok',
        'poll fail authorization_pending',
        'poll fail access_denied',
        'deny ok',
      ]),
    )
    expect([...events]).toEqual(
      expect.arrayContaining(['device_approved', 'device_denied', 'device_code_retried', 'grant_revoked']),
    )
  })

  it('gives each app a seed of its own, also where the next number is the seed of another', () => {
    const apps = [25, 7, 26, 25, 25].map((seed) => ({ seed }))
    expect(distinctSeeds(apps)).toEqual([25, 7, 26, 27, 28])
  })

  it('ends with the stack of a wait that is not in its queue', async () => {
    const run = simulate(planOf(1, SMALL), {
      handle: (handle) => async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        return handle(request)
      },
    })
    await expect(run).rejects.toThrow(/for a Timeout(?:.|\n)+simulation\.test\.ts/)
  })

  it('ignores what else waits in its process', async () => {
    const other = setInterval(() => setTimeout(() => {}, 0), 1)
    try {
      await expect(simulate(planOf(1, SMALL))).resolves.toBeDefined()
    } finally {
      clearInterval(other)
    }
  })

  it('ends if something waits for what never comes', async () => {
    const time = new VirtualTime()
    time.start(() => new Promise(() => {}))
    await expect(time.run()).rejects.toThrow('an actor waits')
  })

  it('runs events by their time, and at one time in the order in which they were added', async () => {
    const time = new VirtualTime()
    const seen: string[] = []
    for (const [name, at] of Object.entries({ late: 20, first: 5, second: 5, soon: 1, cancelled: 3 })) {
      const cancel = time.after(at, () => void seen.push(`${name} at ${time.now}`))
      if (name === 'cancelled') cancel()
    }
    await time.run()
    expect(seen).toEqual(['soon at 1', 'first at 5', 'second at 5', 'late at 20'])
  })
})

describe('a fault', () => {
  it('is printed with its seed, the smallest plan, a timeline, and the command that runs it again', async () => {
    const plant = PLANTED[9]?.plant
    const { failure } = await checkSeed(9, { maxApps: SMALL, plant, shrinkMs: 500 })
    if (failure === undefined) throw new Error('The fault was not found')
    const lines = failureLines(failure, { commit: 'c0ffee', maxApps: SMALL, fault: '9' })
    expect(lines.length).toBeLessThanOrEqual(15)
    expect(lines[0]).toContain('seed 9 of commit c0ffee is unsafe')
    expect(lines.at(-1)).toMatch(/pnpm --dir proof simulate --seed 9 --path [\d:]+ --apps 10 --fault 9$/)
    const again = await checkSeed(9, { maxApps: SMALL, plant, path: failure.path, shrinkMs: 0 })
    expect(again.failure?.fault).toEqual(failure.fault)
  })
})

describe('a kept plan shows its fault where it is planted, and none in core:', () => {
  it.each(KEPT_PLANS)('$sentence', async ({ fault, plan }) => {
    const faults = async (plant?: Plant) => judgeRun(plan, await simulate(plan, plant)).faults
    expect(await faults()).toEqual([])
    const planted = fault === undefined ? undefined : PLANTED[fault]
    if (planted !== undefined) expect((await faults(planted.plant()))[0]?.seen).toMatch(planted.finding)
  })
})

describe('the seed of the day', () => {
  it('depends on the date and the commit alone', () => {
    const seed = seedOfDay('2026-11-26', 'abc')
    expect(seed).toBe(seedOfDay('2026-11-26', 'abc'))
    expect(seed).toBeLessThan(2 ** 31)
    expect(new Set([seed, seedOfDay('2026-11-27', 'abc'), seedOfDay('2026-11-26', 'abd')]).size).toBe(3)
  })
})
