/**
 * Why did this sign-in fail? With `signInAttempts` as the observer, each error of a sign-in carries a reference, and the server emits an
 * event for each step. This entry has what reads both: the form of references, and a recorder of steps in memory.
 *
 * @module
 */
export type { ReportsCalls } from './findings.ts'
export {
  type Attempt,
  type AttemptFilter,
  createFlightRecorder,
  type FlightRecorder,
  type FlightRecorderOptions,
} from './flight-recorder.ts'
export { logFailures } from './log-failures.ts'
export { type SignInAttempts, signInAttempts } from './observer.ts'
export { formatReference, parseReference } from './reference.ts'
export {
  DOCTOR_AGENT,
  type StepEvent,
  type StepFacts,
  type StepName,
  type StepOutcome,
} from './sign-in-steps.ts'
export { type Verdict, verdictOf } from './verdict.ts'
export type { Compared } from './verdict-comparison.ts'
export type { Party, VerdictText } from './verdicts/verdict-text.ts'
export { type FindingName, VERDICTS, type VerdictId } from './verdicts.ts'
