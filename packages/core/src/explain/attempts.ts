/** The sign-in attempts of a server or a guard: what requests are known to be goes in, steps and references come out. */
import type {
  AttemptRequest,
  AttemptsContext,
  KnownOfRequest,
  SignInAttempts,
} from '../kernel/sign-in-attempts.ts'
import type { StepEvent, StepFacts, StepName, StepOutcome } from '../kernel/sign-in-steps.ts'
import { coarseNetworkOf } from '../limits/caller-network.ts'
import {
  type AttemptIdentity,
  clientFacts,
  copied,
  errorFacts,
  grantFacts,
  identityIn,
  sentFacts,
} from './attempt-facts.ts'
import { derivation } from './derived-reference.ts'
import { grantSteps } from './grant-steps.ts'
import { formatReference, referenceIn } from './reference.ts'
import { secondGroups } from './second-group.ts'

/** What is known of a request, as long as it is answered. */
interface Known {
  readonly facts: { -readonly [Fact in keyof StepFacts]: StepFacts[Fact] }
  readonly identity: { -readonly [Member in keyof AttemptIdentity]: AttemptIdentity[Member] }
  reference?: string | undefined
  expects: StepName
}

/**
 * The option `explain` of a server and of a guard: each error carries the reference of its sign-in attempt, and each step of an
 * attempt is an event of the type `step`.
 *
 * @param secret that references are derived with, so that all replicas agree. Without it, a request that names no record has a
 *   random reference, and no reference has a second group
 */
export function signInAttempts(context: AttemptsContext, secret?: string): SignInAttempts {
  const { emit, now, random } = context
  // On the request itself: every collection of young objects visits a `WeakMap`, at the cost of all requests.
  const key = Symbol('known of the request')
  const derive = secret === undefined ? undefined : derivation(secret)
  const secondGroup = secret === undefined ? undefined : secondGroups(secret).seal

  function knownOf(request: AttemptRequest & { [key]?: Known }): Known {
    request[key] ??= { facts: {}, identity: {}, expects: 'request_refused' }
    return request[key]
  }

  function know(request: AttemptRequest, { sent, client, grant, ...more }: KnownOfRequest): void {
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

  function referenceOf(request: AttemptRequest): string {
    const known = knownOf(request)
    known.reference ??=
      derive?.({ clientId: known.facts.clientId, ...known.identity }) ?? referenceIn(random(5))
    return known.reference
  }

  function report(request: AttemptRequest, step: StepName, outcome: StepOutcome, more: StepFacts = {}): void {
    const { facts } = knownOf(request)
    if (request.remoteAddress !== undefined) facts.network ??= coarseNetworkOf(request.remoteAddress)
    const reference = referenceOf(request)
    emit({ type: 'step', reference, at: now(), step, outcome, ...facts, ...more } satisfies StepEvent)
  }

  return {
    know,
    referenceOf,
    shownReferenceOf: (request) => formatReference(referenceOf(request)),
    step(request, step, more) {
      if (more !== undefined) know(request, more)
      report(request, step, 'ok')
      knownOf(request).expects = 'request_refused'
    },
    refused(request, { reason, status, parameters, facts }) {
      const { expects } = knownOf(request)
      know(request, { knownClient: parameters?.known })
      // The path of an API may name a person. The path of an endpoint is one of ours.
      const endpoint = expects === 'first_call' ? undefined : copied(request.path)
      report(request, expects, status >= 500 ? 'failed' : 'refused', {
        ...{ reason, status, endpoint },
        ...errorFacts(facts),
      })
      const reference = referenceOf(request)
      const { clientId, subject } = knownOf(request).facts
      const shown = formatReference(reference + (secondGroup?.(reference, reason, now()) ?? ''))
      return { reference: shown, clientId, subject }
    },
    ...grantSteps(context),
  }
}

/** Adds what is known now, and forgets nothing. */
function merge<Members extends object>(known: Members, more: Members): void {
  for (const name in more) if (more[name] !== undefined) known[name] = more[name]
}
