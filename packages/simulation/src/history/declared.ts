import type { Declared } from '@grantkit/torture'
import { MAX_SKEW_SECONDS, type Plan } from '../plan/plan.ts'
import { LIFETIMES } from '../service/service.ts'

/** What Grantkit promises, for the judge. */
export function declaredBy({ guardLagMs }: Plan): Declared {
  return {
    rotation: 'same-pair',
    overlapSeconds: LIFETIMES.refreshRetryWindow,
    replayEndsFamily: true,
    codeReplayEndsFamily: true,
    logoutEnds: true,
    clockSkewSeconds: MAX_SKEW_SECONDS,
    revocationEnds: 'family',
    cacheSeconds: guardLagMs / 1000,
  }
}
