import { type Behaviour, REFRESHES } from './measure-behaviour.ts'

/** What Grantkit promises, over any store, and did not do. */
export function brokenPromises(behaviour: Behaviour): string[] {
  const { refreshes, redemptions, slowRedemptions, repetition, elsewhereAndBack, replays } = behaviour
  const kept: Record<string, boolean> = {
    'each refresh of one token at once succeeds': refreshes.every(
      ({ statuses }) => statuses[200] === REFRESHES,
    ),
    'they have one successor, which works': refreshes.every(
      ({ successors, working }) => successors === 1 && working === 1,
    ),
    'a code is redeemed once': [...redemptions, ...slowRedemptions].every(({ succeeded }) => succeeded === 1),
    'a repeated refresh gets the same pair, which works':
      repetition.isSamePair && repetition.refreshes.every((status) => status === 200),
    'a refresh does not depend on the location': elsewhereAndBack.every((status) => status === 200),
    'the reuse of an old refresh token ends the grant':
      replays.later.status === 400 && replays.later.current === 400 && !replays.later.isAccessTokenLive,
  }
  return Object.keys(kept).filter((promise) => !kept[promise])
}
