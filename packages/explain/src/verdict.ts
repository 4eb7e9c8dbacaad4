/** Why a sign-in attempt failed, in the words of the table: from its steps, and from those that did not come. */
import { findingOf, isRequestedAgain, isUsed, type ReportsCalls } from './findings.ts'
import type { StepEvent } from './sign-in-steps.ts'
import { type Compared, comparedIn } from './verdict-comparison.ts'
import { STATIC_CLIENT_VERDICTS } from './verdicts/clients.ts'
import { ENDED_BY } from './verdicts/findings.ts'
import type { VerdictText } from './verdicts/verdict-text.ts'
import { VERDICTS, type VerdictId } from './verdicts.ts'

/** What happened to a sign-in attempt, and what to do about it. */
export interface Verdict extends VerdictText {
  /** The reason of an error, or the name of a finding. A feature may have reasons of its own. */
  readonly id: VerdictId | (string & {})
  /** Facts to put next to each other, such as two redirect URIs that differ. Often empty. */
  readonly compared: readonly Compared[]
}

/**
 * The verdict on a sign-in attempt.
 *
 * @param steps of the attempt, in their order
 * @param now epoch seconds: what did not come is a finding once it is overdue
 * @param others steps of other attempts of the same client, for loops and for registrations. Steps of this attempt are ignored
 * @param reportsCalls whether guards with `explain` report every call of these resources to the same recorder; an empty list is
 *   every resource of the server. Only then is a call that does not come a fault. Default: they do not
 *
 * @example
 * ```ts
 * import { type Attempt, verdictOf } from '@grantkit/explain'
 *
 * export function summaryOf({ steps }: Attempt): string {
 *   const { sentence, fix } = verdictOf(steps, Date.now() / 1000)
 *   return `${sentence} ${fix}`
 * }
 * ```
 */
export function verdictOf(
  steps: readonly StepEvent[],
  now: number,
  others: readonly StepEvent[] = [],
  reportsCalls: ReportsCalls = () => false,
): Verdict {
  const error = decisiveError(steps)
  const id = error === undefined ? findingOf(steps, now, others, reportsCalls) : causeOf(error, others)
  return { id, ...textOf(id, error), compared: error === undefined ? [] : comparedIn(error, steps) }
}

function textOf(id: string, error: StepEvent | undefined): VerdictText {
  const text = (VERDICTS as Readonly<Record<string, VerdictText>>)[id] ?? VERDICTS.unexplained
  if (id === 'grant_ended') return { ...text, ...ENDED_BY[error?.by ?? ''] }
  return error?.clientKind === 'integration' ? { ...text, ...STATIC_CLIENT_VERDICTS[id] } : text
}

function causeOf(error: StepEvent, others: readonly StepEvent[]): string {
  const { step, reason } = error
  if (step === 'denied' && isRequestedAgain(error, others)) return 'requested_after_denial'
  if (step === 'ended') return isForSafety(error) ? String(reason) : 'grant_ended'
  return reason ?? 'unexplained'
}

/** Whether a grant ended for a reason that explains all later errors. */
function isForSafety({ reason }: StepEvent): boolean {
  return reason !== undefined && reason in VERDICTS
}

/** How far an attempt has come. A step that succeeds shows that errors of earlier stages were overcome. */
const STAGES: Readonly<Record<StepEvent['step'], number>> = {
  registered: 0,
  requested: 1,
  client_found: 2,
  request_refused: 3,
  sign_in_shown: 4,
  signed_in: 5,
  consent_shown: 6,
  allowed: 7,
  denied: 7,
  expired: 7,
  sent_back: 8,
  code_redeemed: 9,
  // A client learns by a refused call that it has to refresh.
  refreshed: 10,
  first_call: 10,
  ended: 11,
}

/**
 * What stopped the attempt: the last error not overcome, or the end of its grant, since everything after that follows from it. An
 * end without a verdict of its own, such as a disconnection, explains no attempt that had failed before it was ever used.
 */
function decisiveError(steps: readonly StepEvent[]): StepEvent | undefined {
  const isOvercome = (error: StepEvent, later: readonly StepEvent[]) =>
    later.some(({ step, outcome }) => outcome === 'ok' && STAGES[step] >= STAGES[error.step])
  const end = steps.find(({ step }) => step === 'ended')
  const alive = end === undefined ? steps : steps.slice(0, steps.indexOf(end))
  const error = alive.findLast((one, at) => one.outcome !== 'ok' && !isOvercome(one, alive.slice(at + 1)))
  if (end === undefined) return error
  return isForSafety(end) || isUsed(alive) ? end : (error ?? end)
}
