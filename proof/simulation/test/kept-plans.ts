import type { Plan } from '../src/plan/plan.ts'

/** Plans that showed a fault, made smaller. They are kept as data: a seed means another plan as soon as plans get a new part. */
interface KeptPlan {
  readonly sentence: string
  /** The planted fault that it shows. Absent: it was a fault of core, which is mended. */
  readonly fault?: number
  readonly plan: Plan
}

export const KEPT_PLANS: readonly KeptPlan[] = [
  {
    sentence: 'Two processes refresh at once, and both writes count if the store compares no version.',
    fault: 2,
    plan: {
      seed: 0,
      store: 'memory',
      clocks: [0],
      apps: [
        {
          seed: 1310660389,
          startsAt: 0,
          redemption: 'once',
          actions: [
            { act: 'refresh', wait: 0, process: 0 },
            { act: 'refresh', wait: 0, process: 1 },
          ],
        },
        {
          seed: 826039703,
          startsAt: 0,
          redemption: 'once',
          actions: [
            { act: 'useExchanged', wait: 0, process: 0 },
            { act: 'endByUser', wait: 0, process: 0 },
          ],
        },
      ],
      rates: {
        rejectedBefore: 0,
        rejectedAfter: 0,
        appliedTwice: 0,
        requestLost: 0,
        answerLost: 0,
        duplicated: 0,
      },
      networkMs: 5,
      storeMs: 1,
      guardLagMs: 0,
      incidents: [],
    },
  },
  {
    sentence:
      'A thief comes back after the retry window: the end must be written, or the newest token lives on.',
    fault: 3,
    plan: {
      seed: 0,
      store: 'memory',
      clocks: [0],
      apps: [
        {
          seed: 325861958,
          startsAt: 0,
          redemption: 'once',
          actions: [
            { act: 'thiefReturns', wait: 0, process: 0 },
            { act: 'refresh', wait: 0, process: 0 },
            { act: 'introspect', wait: 0, process: 0 },
          ],
        },
        {
          seed: 1332083736,
          startsAt: 0,
          redemption: 'once',
          actions: [
            { act: 'refresh', wait: 0, process: 0 },
            { act: 'refresh', wait: 0, process: 0 },
          ],
        },
      ],
      rates: {
        rejectedBefore: 0,
        rejectedAfter: 0,
        appliedTwice: 0,
        requestLost: 0,
        answerLost: 0,
        duplicated: 0,
      },
      networkMs: 5,
      storeMs: 1,
      guardLagMs: 0,
      incidents: [],
    },
  },
  {
    sentence: 'A refresh is on its way while the grant ends: its write must not bring the grant back.',
    fault: 6,
    plan: {
      seed: 0,
      store: 'memory',
      clocks: [0],
      apps: [
        {
          seed: 665141326,
          startsAt: 0,
          redemption: 'once',
          actions: [
            { act: 'raceRevoke', wait: 0, process: 0 },
            { act: 'introspect', wait: 0, process: 0 },
            { act: 'raceRevoke', wait: 0, process: 0 },
          ],
        },
        {
          seed: 1645800403,
          startsAt: 0,
          redemption: 'once',
          actions: [
            { act: 'refresh', wait: 0, process: 0 },
            { act: 'refresh', wait: 0, process: 0 },
          ],
        },
      ],
      rates: {
        rejectedBefore: 0,
        rejectedAfter: 0,
        appliedTwice: 0.02,
        requestLost: 0.08,
        answerLost: 0.2,
        duplicated: 0.08,
      },
      networkMs: 5,
      storeMs: 1,
      guardLagMs: 0,
      incidents: [],
    },
  },
]
