import type { Attempt, Outcome } from '../bursts/attempt.ts'
import type { Attempts } from './attempts.ts'

/** Sends the requests of a run, one at a time. */
export interface Sender {
  readonly attempts: Attempts
  send(attempt: Attempt): Promise<Outcome>
  wait(seconds: number): Promise<void>
}
