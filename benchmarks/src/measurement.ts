import type { Round } from './round.ts'
import type { WorkName } from './work.ts'

/** The medians over the rounds of a target, and the rates of the bare framework that was measured beside it. */
export interface Measurement extends Round {
  readonly target: string
  /** The name of the bare framework. */
  readonly against: string
  readonly work: WorkName
  /** Requests per second, round by round. */
  readonly rounds: readonly number[]
  /** Those of the bare framework in the same rounds. */
  readonly bareRounds: readonly number[]
}
