import fc from 'fast-check'
import {
  ACTS,
  type Act,
  type Action,
  type AppPlan,
  CODE_USES,
  DEVICE_USES,
  type FaultRates,
  type Incident,
  MAX_OFFSET_MS,
  type Plan,
} from './plan.ts'

const MINUTE = 60_000
/** The size of plans in tests. */
export const APPS = 40

/** Most pauses are short, so that requests meet. Some cross the retry window, the life of a code and of an access token. */
const wait = fc.oneof(
  { weight: 12, arbitrary: fc.nat(400) },
  { weight: 4, arbitrary: fc.nat(15_000) },
  { weight: 2, arbitrary: fc.nat(3 * MINUTE) },
  { weight: 1, arbitrary: fc.nat(20 * MINUTE) },
)

const WEIGHTS: Readonly<Record<Act, number>> = {
  ...{ refresh: 30, use: 8, introspect: 8, exchange: 8, useExchanged: 8 },
  ...{ revokeAccess: 2, revoke: 2, raceRevoke: 4, endByUser: 2 },
  // They end the grants of two apps.
  ...{ signOutEverywhere: 1, raceSignOut: 1 },
  ...{ stealRefresh: 3, thiefRefreshes: 3, thiefReturns: 4 },
}
const act = fc.oneof(...ACTS.map((name) => ({ weight: WEIGHTS[name], arbitrary: fc.constant(name) })))
const action: fc.Arbitrary<Action> = fc.record({ act, wait, process: fc.constantFrom(0, 1) })

/** So many apps start in a second. */
const APPS_A_SECOND = 4

const appIn = (span: number): fc.Arbitrary<AppPlan> =>
  fc.record({
    // It names what is drawn, so a smaller number is no smaller plan, and two apps with one number would draw the same secrets.
    seed: fc.noShrink(fc.nat()),
    startsAt: fc.nat(span),
    openid: fc.oneof(
      { weight: 11, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    redemption: fc.oneof(
      { weight: 6, arbitrary: fc.constant('once' as const) },
      { weight: 4, arbitrary: fc.constantFrom(...CODE_USES, 'twice' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...DEVICE_USES, 'deviceTwice' as const) },
    ),
    actions: fc.array(action, { maxLength: 24, minLength: 2, size: 'max' }),
  })

/** None, or so rare that a request still succeeds. */
const rate = fc.constantFrom(0, 0, 0.02, 0.08)
const rates: fc.Arbitrary<FaultRates> = fc.record({
  rejectedBefore: rate,
  rejectedAfter: rate,
  appliedTwice: rate,
  requestLost: rate,
  answerLost: fc.constantFrom(0, 0.05, 0.2),
  duplicated: rate,
})

const replica = fc.nat(2)
const incidentAt = (at: fc.Arbitrary<number>): fc.Arbitrary<Incident> =>
  fc.oneof(
    fc.record({ kind: fc.constant('crash'), at, replica, downMs: fc.nat(3000) }),
    fc.record({ kind: fc.constant('clockJump'), at, replica, byMs: fc.integer({ min: -1500, max: 1500 }) }),
    fc.record({ kind: fc.constant('freeze'), at, forMs: fc.nat(6000) }),
    fc.record({ kind: fc.constant('failover'), at, lostMs: fc.nat(800) }),
  )

/** Plans of one size. fast-check makes them from a seed, and makes a failed one smaller. */
export function plansFor(maxApps: number): fc.Arbitrary<Plan> {
  const span = (1000 * maxApps) / APPS_A_SECOND
  const incident = incidentAt(fc.nat(span + 30_000))
  return fc.record({
    seed: fc.nat(),
    store: fc.constantFrom(...Array<'memory'>(19).fill('memory'), 'sqlite' as const),
    clocks: fc.array(fc.integer({ min: -MAX_OFFSET_MS, max: MAX_OFFSET_MS }), { minLength: 1, maxLength: 3 }),
    apps: fc.array(appIn(span), { minLength: 1, maxLength: maxApps, size: 'max' }),
    rates,
    networkMs: fc.constantFrom(5, 40, 400),
    storeMs: fc.constantFrom(1, 5, 60),
    guardLagMs: fc.constantFrom(0, 0, 0, 2000),
    incidents: fc.array(incident, { maxLength: 3 + Math.floor(maxApps / 8), size: 'max' }),
  })
}

/** The plan of a seed. */
export function planOf(seed: number, maxApps = APPS): Plan {
  const [plan] = fc.sample(plansFor(maxApps), { seed, numRuns: 1 })
  if (plan === undefined) throw new Error('There is no plan')
  return plan
}
