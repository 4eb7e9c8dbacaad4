import type { Declared } from '@grantkit/torture'
import { MAX_SKEW_SECONDS, type Plan } from '../plan/plan.ts'
import { LIFETIMES } from '../service/service.ts'

/** Clocks count in whole seconds. */
const CLOCK_SECONDS = 1
const LATE_REPEAT_SECONDS = 900
/** The time of a remembered rotation is up to a seventh of the window too late (docs/adr/0002). */
const REPLACED_SECONDS = LIFETIMES.refreshRetryWindow + Math.ceil(LIFETIMES.refreshRetryWindow / 7)

/** What Grantkit promises, for the judge. */
export function declaredBy({ guardLagMs }: Plan): Declared {
  return {
    rotation: 'same-pair',
    overlapSeconds: LIFETIMES.refreshRetryWindow,
    lateRepeatSeconds: LATE_REPEAT_SECONDS + CLOCK_SECONDS,
    replacedSeconds: REPLACED_SECONDS + CLOCK_SECONDS,
    replayEndsFamily: true,
    codeReplayEndsFamily: true,
    logoutEnds: true,
    clockSkewSeconds: MAX_SKEW_SECONDS,
    revocationEnds: 'family',
    cacheSeconds: guardLagMs / 1000,
  }
}
