/** Findings without an error: a step that is overdue, or one that was repeated. Computed when an attempt is read. */
import type { StepEvent, StepName } from './sign-in-steps.ts'
import type { FindingName } from './verdicts.ts'

/** Seconds after which the next step is overdue. */
const OVERDUE = {
  /** As long as the form of the consent page is valid by default. */
  page: 600,
  /** As long as a code is valid by default. */
  code: 60,
  call: 120,
  registration: 600,
}

/** An app begins another attempt within this time by itself; later, its user does. */
const AT_ONCE = 60

/** From here on, a user does not just look at the page twice. */
const REPEATED = 3

/**
 * Whether guards report every call with a token for these resources to the recorder. An empty list is a token for every resource
 * of the server.
 */
export type ReportsCalls = (resources: readonly string[]) => boolean

/** The outcome of an attempt without an error. */
export function findingOf(
  steps: readonly StepEvent[],
  now: number,
  others: readonly StepEvent[],
  reportsCalls: ReportsCalls,
): FindingName {
  const last = steps.at(-1)
  if (last === undefined) return 'in_progress'
  const waiting = now - last.at
  if (isUsed(steps)) return 'succeeded'
  const redeemed = steps.findLast(({ step, outcome }) => step === 'code_redeemed' && outcome === 'ok')
  if (redeemed !== undefined) return afterRedemption(redeemed, waiting, reportsCalls)
  const sentBack = steps.findLast(named('sent_back'))
  if (sentBack !== undefined) return afterCode(sentBack, now, others)
  return beforeCode(steps, last, { waiting, others })
}

function afterRedemption({ resource }: StepEvent, waiting: number, reportsCalls: ReportsCalls): FindingName {
  if (!reportsCalls(resource?.split(' ') ?? [])) return 'tokens_issued'
  return waiting >= OVERDUE.call ? 'token_not_used' : 'in_progress'
}

function afterCode(sentBack: StepEvent, now: number, others: readonly StepEvent[]): FindingName {
  if (isRequestedAgain(sentBack, others)) return 'requested_after_code'
  return now - sentBack.at >= OVERDUE.code ? 'code_not_redeemed' : 'in_progress'
}

interface Waiting {
  /** Seconds since the last step. */
  readonly waiting: number
  readonly others: readonly StepEvent[]
}

function beforeCode(steps: readonly StepEvent[], last: StepEvent, { waiting, others }: Waiting): FindingName {
  if (last.step === 'sign_in_shown' && signInsShown(steps) >= REPEATED) return 'sign_in_repeated'
  if (last.step === 'sign_in_shown' && waiting >= OVERDUE.page) return 'sign_in_left'
  if (last.step === 'consent_shown' && waiting >= OVERDUE.page) return 'consent_left'
  // Of an attempt that was refused or left, some steps may not be kept: any of them shows that the client was used.
  const unused =
    last.step === 'registered' &&
    !others.some(({ step, clientId }) => step !== 'registered' && clientId === last.clientId)
  return unused && waiting >= OVERDUE.registration ? 'never_requested' : 'in_progress'
}

/** Whether the app began another attempt right after this step, without its user. */
export function isRequestedAgain(after: StepEvent, steps: readonly StepEvent[]): boolean {
  const { at, reference, clientId, network } = after
  const others = steps.filter((step) => step.reference !== reference)
  return others.filter(named('requested')).some((later) => {
    const isAtOnce = later.at >= at && later.at - at < AT_ONCE
    const isHere = later.network === undefined || network === undefined || later.network === network
    return isAtOnce && isHere && later.clientId === clientId
  })
}

/** An app that refreshes its tokens has used the first ones, and keeps its connection. */
const USES: readonly StepName[] = ['first_call', 'refreshed']

export function isUsed(steps: readonly StepEvent[]): boolean {
  return steps.some(({ step, outcome }) => USES.includes(step) && outcome === 'ok')
}

/** The number of sign-in pages since the user was last signed in. */
function signInsShown(steps: readonly StepEvent[]): number {
  const since = steps.slice(steps.findLastIndex(named('signed_in')) + 1)
  return since.filter(named('sign_in_shown')).length
}

function named(name: StepName): (step: StepEvent) => boolean {
  return ({ step }) => step === name
}
