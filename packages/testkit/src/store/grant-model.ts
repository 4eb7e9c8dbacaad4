import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Tokens } from '../client/answer.ts'
import type { TestClient } from '../client/test-client.ts'
import { LIFETIMES, openFlow, SCOPE } from './flow.ts'
import { patienceOf, type Subject } from './subject.ts'

/**
 * A grant against random actions of its client, a thief and the clock, in any order and concurrently. Each step goes through
 * the store.
 */
export function grantModelPromises(subject: Subject): void {
  const timeout = patienceOf(subject, 60_000)
  it('keeps a grant correct under any concurrent sequence of actions', { timeout }, async ({ signal }) => {
    await fc.assert(
      fc.asyncProperty(life, async (steps) => {
        const world = new World(subject)
        await world.begin()
        for (const take of steps) {
          signal.throwIfAborted()
          await take(world)
          await world.examine()
        }
      }),
      { numRuns: 40 },
    )
  })
}

/** Seconds after a rotation until which its answer may be given again. */
const MAX_RETRY = 900
/** Seconds after which a token that was replaced more than once ends its grant: the window, and the most by which core errs. */
const REPLACED_LONG_AGO = (LIFETIMES.refreshRetryWindow * 8) / 7 + 1

class World {
  /** How far the server's clock is ahead of the store's. */
  private ahead = 0
  readonly pairs: Pick<Tokens, 'access_token' | 'refresh_token'>[] = []
  readonly revoked = new Set<string>()
  private readonly dead = new Set<string>()
  private redemptions = 0
  /** When each pair was got, and so when the one before it was replaced. */
  private readonly rotatedAt: number[] = []
  private ended = false

  private readonly subject: Subject
  private flow!: TestClient
  private approval = { code: '', verifier: '' }

  constructor(subject: Subject) {
    this.subject = subject
  }

  async begin(): Promise<void> {
    this.flow = await openFlow(this.subject.store, () => this.now())
    this.approval = await this.flow.approve(SCOPE)
  }

  now(): number {
    return this.subject.clock.now() + this.ahead
  }

  pass(seconds: number): void {
    this.ahead += seconds
  }

  /** Redeems one code several times at once: at most one call succeeds. */
  async redeem(times: number): Promise<void> {
    const answers = await Promise.all(Array.from({ length: times }, () => this.flow.redeem(this.approval)))
    const won = answers.filter(({ status }) => status === 200)
    this.redemptions += won.length
    expect(this.redemptions).toBeLessThanOrEqual(1)
    for (const pair of won) this.keep(pair as Tokens)
    // A code that comes back was copied, so its whole grant ends.
    if (times > won.length) this.ended = true
  }

  /** Uses one refresh token several times at once: every success returns the same pair. */
  async refresh(back: number, times: number): Promise<void> {
    const presented = this.pairs.at(-1 - back)
    if (presented === undefined) return
    const age = this.now() - (this.rotatedAt.at(-back) ?? 0)
    const reused = back > 0 && age >= (back > 1 ? REPLACED_LONG_AGO : MAX_RETRY)
    const answers = await Promise.all(
      Array.from({ length: times }, () => this.flow.refresh(presented.refresh_token)),
    )
    const served = answers.filter(({ status }) => status === 200)
    expect(new Set(served.map(({ refresh_token }) => refresh_token)).size).toBeLessThanOrEqual(1)
    const [pair] = served
    if (pair && pair.refresh_token !== this.pairs.at(-1)?.refresh_token) this.keep(pair as Tokens)
    if (reused) {
      expect(served, 'a used token').toEqual([])
      this.ended = true
    }
  }

  async revoke(which: 'access_token' | 'refresh_token'): Promise<void> {
    const token = this.pairs.at(-1)?.[which]
    if (token === undefined) return
    await this.flow.revoke(token)
    this.revoked.add(token)
    if (which === 'refresh_token') this.ended = true
  }

  /** An ended token stays ended, and an ended grant ends all its tokens. */
  async examine(): Promise<void> {
    for (const token of this.pairs.flatMap(({ access_token, refresh_token }) => [
      access_token,
      refresh_token,
    ])) {
      const { active } = await this.flow.introspect(token)
      if (active) {
        expect(this.dead.has(token), 'came back').toBe(false)
        expect(this.revoked.has(token), 'active after its revocation').toBe(false)
        expect(this.ended, 'active after the end of its grant').toBe(false)
      } else this.dead.add(token)
    }
  }

  private keep({ access_token, refresh_token }: Tokens): void {
    this.pairs.push({ access_token, refresh_token })
    this.rotatedAt.push(this.now())
  }
}

type Step = (world: World) => Promise<void> | void

const several = fc.integer({ min: 1, max: 4 })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: several.map((times) => (world: World) => world.redeem(times)) },
  { weight: 8, arbitrary: several.map((times) => (world: World) => world.refresh(0, times)) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 3 }), several).map(
      ([back, times]) =>
        (world: World) =>
          world.refresh(back, times),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.integer({ min: 0, max: 400 }).map((seconds) => (world: World) => world.pass(seconds)),
  },
  { weight: 1, arbitrary: fc.constantFrom('access_token', 'refresh_token').map(revoking) },
)

/** Redeems once first: a grant that is never redeemed, or twice, tests little. */
const redeemedOnce: Step = (world) => world.redeem(1)
const life = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: fc.constant(redeemedOnce) }, { weight: 1, arbitrary: step }),
    fc.array(step, { maxLength: 15, size: 'max' }),
  )
  .map(([first, rest]) => [first, ...rest])

function revoking(which: 'access_token' | 'refresh_token'): Step {
  return (world) => world.revoke(which)
}
