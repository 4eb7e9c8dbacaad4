/** The sign-in attempts of a server or a guard: what requests are known to be goes in, steps and references come out. */
import {
  coarseNetworkOf,
  type ObservedRequest,
  type ObserverContext,
  type ReportedError,
} from '@grantkit/core/internal'
import {
  type AttemptIdentity,
  clientFacts,
  copied,
  errorFacts,
  grantFacts,
  identityIn,
  type KnownOfRequest,
  sentFacts,
} from './attempt-facts.ts'
import { grantSteps } from './grant-steps.ts'
import { derivation, formatReference, referenceIn } from './reference.ts'
import {
  DOCTOR_AGENT,
  type StepEvent,
  type StepFacts,
  type StepName,
  type StepOutcome,
} from './sign-in-steps.ts'

/** What is known of a request, as long as it is answered. */
interface Known {
  readonly facts: { -readonly [Fact in keyof StepFacts]: StepFacts[Fact] }
  readonly identity: { -readonly [Member in keyof AttemptIdentity]: AttemptIdentity[Member] }
  reference?: string | undefined
  expects: StepName
}

/** Reasons why no client is found for an authorization request. Any other error before that is one of the request. */
const NO_CLIENT: readonly string[] = [
  ...['client_unknown', 'document_unreachable', 'document_invalid', 'document_refused'],
  ...['too_many_unknown_documents', 'store_unavailable', 'unexpected'],
]

/** Steps that only these errors refuse, wherever they arise. */
const STEP_OF_REASON: Readonly<Record<string, StepName>> = {
  consent_ticket_invalid: 'expired',
  consent_denied: 'denied',
}

function refusedStep(expected: StepName, reason: string): StepName {
  if (expected === 'client_found') return NO_CLIENT.includes(reason) ? expected : 'request_refused'
  if (reason === 'grant_type_unsupported') return 'request_refused'
  return expected === 'request_refused' ? (STEP_OF_REASON[reason] ?? expected) : expected
}

/** @param secret that references are derived with */
export function attemptsOf(context: ObserverContext, secret?: string) {
  const { emit, now, random } = context
  // On the request itself: every collection of young objects visits a `WeakMap`, at the cost of all requests.
  const key = Symbol('known of the request')
  const derive = secret === undefined ? undefined : derivation(secret)

  function knownOf(request: ObservedRequest & { [key]?: Known }): Known {
    request[key] ??= { facts: {}, identity: {}, expects: 'request_refused' }
    return request[key]
  }

  function know(request: ObservedRequest, { sent, client, grant, ...more }: KnownOfRequest): void {
    const known = knownOf(request)
    const { reference, expects, subject, ...facts } = more
    if (sent !== undefined) {
      merge(known.identity, identityIn(sent))
      merge(known.facts, sentFacts(sent))
    }
    if (grant !== undefined) merge(known.facts, grantFacts(grant))
    // Last, because a step names the client that sent the request, also with a token of another client.
    if (client !== undefined) merge(known.facts, clientFacts(client))
    merge(known.facts, { ...facts, subject: subject && copied(subject) })
    known.reference = grant?.reference ?? reference ?? known.reference
    known.expects = expects ?? known.expects
  }

  function referenceOf(request: ObservedRequest): string {
    const known = knownOf(request)
    known.reference ??=
      derive?.({ clientId: known.facts.clientId, ...known.identity }) ?? referenceIn(random(5))
    return known.reference
  }

  function report(
    request: ObservedRequest,
    step: StepName,
    outcome: StepOutcome,
    more: StepFacts = {},
  ): void {
    const { facts } = knownOf(request)
    if (request.remoteAddress !== undefined) facts.network ??= coarseNetworkOf(request.remoteAddress)
    if (request.headers?.['user-agent'] === DOCTOR_AGENT) facts.probe = true
    const reference = referenceOf(request)
    emit({ type: 'step', reference, at: now(), step, outcome, ...facts, ...more } satisfies StepEvent)
  }

  return {
    know,
    referenceOf,
    shownReferenceOf: (request: ObservedRequest) => formatReference(referenceOf(request)),
    step(request: ObservedRequest, step: StepName, more?: KnownOfRequest): void {
      if (more !== undefined) know(request, more)
      report(request, step, 'ok')
      knownOf(request).expects = 'request_refused'
    },
    /** @returns what is known of the attempt, with its reference as users see it */
    refused(request: ObservedRequest, { reason, status, parameters, facts }: ReportedError) {
      const expects = refusedStep(knownOf(request).expects, reason)
      know(request, { knownClient: parameters?.known })
      // The path of an API may name a person. The path of an endpoint is one of ours.
      const endpoint = expects === 'first_call' ? undefined : copied(request.path)
      report(request, expects, status >= 500 ? 'failed' : 'refused', {
        ...{ reason, status, endpoint },
        ...errorFacts(facts),
      })
      const { clientId, subject } = knownOf(request).facts
      return { reference: formatReference(referenceOf(request)), clientId, subject }
    },
    ...grantSteps(context),
  }
}

/** Adds what is known now, and forgets nothing. */
function merge<Members extends object>(known: Members, more: Members): void {
  for (const name in more) if (more[name] !== undefined) known[name] = more[name]
}
