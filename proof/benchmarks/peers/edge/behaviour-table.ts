import type { Redemptions, Refreshes, Replay } from './behaviours.ts'
import { type Behaviour, LATENCY_MS, REDEMPTIONS, REFRESHES } from './measure-behaviour.ts'
import { freeRefreshesADay, type Operations, priceOfAMillion } from './operations.ts'
import { SIDES, type Side } from './sides.ts'
import { table } from './table.ts'

type Cell = (behaviour: Behaviour, side: Side) => string

const ROWS: Readonly<Record<string, Cell>> = {
  [`${REFRESHES} refreshes of one token at once`]: ({ refreshes }) => statuses(refreshes),
  '… different refresh tokens; how many of them work': ({ refreshes }) =>
    `${range(refreshes.map(({ successors }) => successors))}; ${range(refreshes.map(({ working }) => working))}`,
  '… live access tokens afterwards': ({ refreshes }) => live(refreshes),
  [`One code redeemed ${REDEMPTIONS} times at once: successes`]: ({ redemptions }) => successes(redemptions),
  [`… with ${LATENCY_MS} ms for each call of the store (**simulated**)`]: ({ slowRedemptions }) =>
    successes(slowRedemptions),
  '… live access tokens after that': ({ slowRedemptions }) => live(slowRedemptions),
  'The answer to a refresh is lost, and the client repeats': ({ repetition }) =>
    `${repetition.status}, ${repetition.isSamePair ? 'the same pair' : 'another pair'}`,
  '… next refresh with the first pair; with the second': ({ repetition }) => repetition.refreshes.join('; '),
  '… live access tokens': ({ repetition }) => String(repetition.liveAccessTokens),
  'A refresh at location B, then one at A, within a minute (**simulated**)': ({ elsewhereAndBack }) =>
    elsewhereAndBack.join('; '),
  'A token three rotations old, at once; then the current one': ({ replays }) => shownReplay(replays.atOnce),
  'A token three rotations old, a minute later; then the current one': ({ replays }) =>
    shownReplay(replays.later),
  'Operations of a refresh': ({ operations }) => shownOperations(operations),
  'List price of a million refreshes, store alone': ({ operations }, side) =>
    `$${priceOfAMillion(side, operations).toFixed(2)}`,
  'Refreshes a day on the Free plan, store alone': ({ operations }, side) =>
    freeRefreshesADay(side, operations).toLocaleString('en'),
}

export function behaviourTable(measured: ReadonlyMap<string, Behaviour>): string {
  const rows = Object.entries(ROWS).map(([title, cell]) => [
    title,
    ...SIDES.map((side) => cell(measured.get(side.name) as Behaviour, side)),
  ])
  return table(['', ...SIDES.map(({ name }) => name)], rows)
}

/** `50`, or `1 to 16` if the rounds differ. */
function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return least === most ? String(least) : `${least} to ${most}`
}

function statuses(rounds: readonly Refreshes[]): string {
  const names = [...new Set(rounds.flatMap((round) => Object.keys(round.statuses)))].sort()
  return names
    .map((name) => `${range(rounds.map((round) => round.statuses[name] ?? 0))} × ${name}`)
    .join(', ')
}

function successes(rounds: readonly Redemptions[]): string {
  const counts = rounds.map(({ succeeded }) => succeeded)
  const several = counts.filter((count) => count > 1).length
  const isAlike = several === 0 || several === counts.length
  return isAlike ? range(counts) : `${range(counts)}, more than one in ${several} of ${counts.length} rounds`
}

function live(rounds: readonly (Refreshes | Redemptions)[]): string {
  return range(rounds.map(({ liveAccessTokens }) => liveAccessTokens))
}

function shownReplay({ status, current, isAccessTokenLive }: Replay): string {
  return `${status}; ${current}, its access token ${isAccessTokenLive ? 'live' : 'ended'}`
}

const UNITS: Readonly<Record<string, string>> = {
  calls: 'call',
  rowsRead: 'row read',
  rowsWritten: 'row written',
  reads: 'read',
  writes: 'write',
}

function shownOperations(operations: Operations): string {
  const done = Object.entries(operations).filter(([, times]) => times > 0)
  return done.map(([name, times]) => `${times} × ${UNITS[name] ?? name}`).join(', ')
}
