import type { Effort } from './options.ts'
import { type Round, runRound, type Subject } from './round.ts'

/** A target that is warm, and the number of requests that fill one of its rounds. */
export interface WarmSubject extends Subject {
  readonly count: number
}

export interface Pair {
  readonly target: WarmSubject
  /** The framework without OAuth that the target stands on. */
  readonly bare: WarmSubject
}

/** Both halves of a pair within the same second: what the machine does to one, it does to the other. */
export interface PairRound {
  readonly target: Round
  readonly bare: Round
}

/** A round that lost more than this share to the host is repeated: one tick of the kernel's clock is not yet that. */
const MAX_STOLEN = 0.05
const MAX_TRIES = 4

/** Each half goes first as often as the other: a machine that slows down steadily favours neither. */
export async function measureRounds(pair: Pair, effort: Effort): Promise<PairRound[]> {
  const rounds: PairRound[] = []
  for (let round = 0; round < effort.rounds; round++)
    rounds.push(await calmest(() => runPair(pair, round % 2 === 0, effort)))
  return rounds
}

/** The first round without much time lost to the host, or the best of several. */
export async function calmest(run: () => Promise<PairRound>): Promise<PairRound> {
  let best = await run()
  for (let tries = 1; tries < MAX_TRIES && stolenOf(best) > MAX_STOLEN; tries++) {
    const round = await run()
    if (stolenOf(round) < stolenOf(best)) best = round
  }
  return best
}

function stolenOf({ target, bare }: PairRound): number {
  return Math.max(target.stolen, bare.stolen)
}

async function runPair({ target, bare }: Pair, targetFirst: boolean, effort: Effort): Promise<PairRound> {
  const one = await runRound(targetFirst ? target : bare, effort)
  const other = await runRound(targetFirst ? bare : target, effort)
  return targetFirst ? { target: one, bare: other } : { target: other, bare: one }
}
