import type { Plant } from '../service/replica.ts'
import { answersAreCached, denialIgnored, loserSkipsPkce } from './plants-in-answers.ts'
import {
  endNotWritten,
  exchangedOutlive,
  inStore,
  is,
  longerCode,
  loserGets500,
  overwriting,
  refreshSurvivesEnd,
  replayEndsOthers,
  signOutLeavesRefreshed,
} from './plants-in-the-store.ts'
import { contextOf } from './request-context.ts'
import { previousIsCurrent, withRead, withReplace, writtenLater } from './store-faults.ts'

/** Faults of real servers, each planted around the real core: in its store, its answers or its options. */
export interface PlantedFault {
  readonly title: string
  /** What the judge says of it. */
  readonly finding: RegExp
  /** Anew for each run: some remember. */
  plant(): Plant
}

export const PLANTED: Readonly<Record<number, PlantedFault>> = {
  1: {
    title: 'a code is read, and then marked',
    finding: /gave tokens (?:twice|\d+ times)/,
    plant: () => overwriting(() => is('redeem')),
  },
  2: {
    title: 'a refresh token is read, and then rotated',
    finding: /was accepted (?:twice|\d+ times)/,
    plant: () => overwriting(() => is('refresh')),
  },
  3: {
    title: 'a replay is refused, and the descendants live on',
    finding: /after a spent credential/,
    plant: () => endNotWritten('refresh'),
  },
  4: {
    title: 'rotations are compared by seconds',
    finding: /was accepted (?:twice|\d+ times)/,
    plant: () =>
      inStore((store, { now }) =>
        withRead(store, (grant) =>
          previousIsCurrent(grant, (refresh) => refresh.previous?.rotatedAt === now()),
        ),
      ),
  },
  5: {
    title: 'a restart forgets rotations',
    finding: /lossy|unsafe/,
    plant: () => ({ crashLosesMs: 3000 }),
  },
  6: {
    title: 'a refresh in flight survives an acknowledged revocation',
    finding: /after the (?:revocation|user)/,
    plant: refreshSurvivesEnd,
  },
  7: {
    title: 'a revocation is acknowledged before it is written',
    finding: /after the (?:revocation|user)/,
    plant: () => inStore((store, place) => withReplace(store, (replace) => writtenLater(replace, place))),
  },
  8: {
    title: 'the cache of the guard outlives its declared time',
    finding: /was active after/,
    plant: () =>
      answersAreCached((request) =>
        contextOf(request).doing === 'use' ? request.headers.authorization : undefined,
      ),
  },
  9: {
    title: 'the previous refresh token works again and again',
    finding: /was accepted (?:twice|\d+ times)/,
    plant: () => inStore((store) => withRead(store, (grant) => previousIsCurrent(grant, () => true))),
  },
  10: {
    title: 'a lost answer costs the grant',
    finding: /in which a retry has to be answered/,
    plant: () => ({ lifetimes: { refreshRetryWindow: 0 } }),
  },
  11: {
    title: 'a replay ends all grants of the user at the client',
    finding: /lossy: The/,
    plant: replayEndsOthers,
  },
  12: {
    title: 'expired codes work for ten minutes',
    finding: /worked after it had expired/,
    plant: () => inStore((store) => withRead(store, (grant) => (is('redeem') ? longerCode(grant) : grant))),
  },
  13: {
    title: 'the clock of a replica is 90 seconds ahead',
    finding:
      /clock of the server is 9\d s|clocks of two replicas|after it had expired|was refused|after a spent credential/,
    plant: () => ({ clockAheadMs: 90_000 }),
  },
  14: { title: 'the loser of a race gets a 500', finding: /got 500/, plant: loserGets500 },
  15: {
    title: 'two polls of a device both win',
    finding: /gave tokens (?:twice|\d+ times)/,
    plant: () => overwriting(() => is('poll')),
  },
  16: {
    title: 'a sign-out leaves refresh tokens',
    finding: /after the user of its grant denied/,
    plant: signOutLeavesRefreshed,
  },
  17: {
    title: 'a code works after its user denied',
    finding: /after the user of its grant denied/,
    plant: () => endNotWritten('deny'),
  },
  18: { title: 'exchanged tokens outlive the grant', finding: /was active after/, plant: exchangedOutlive },
  19: {
    title: 'the loser of a redemption skips PKCE',
    finding: /worked for a wrong PKCE verifier/,
    plant: loserSkipsPkce,
  },
  20: {
    title: 'introspection on the other replica says active',
    finding: /was active after/,
    plant: () =>
      answersAreCached((request) => {
        const { doing, credential } = contextOf(request)
        return doing === 'introspect' ? credential : undefined
      }),
  },
  21: {
    title: 'the denial of a device is ignored',
    finding: /after the user of its grant denied/,
    plant: denialIgnored,
  },
}
