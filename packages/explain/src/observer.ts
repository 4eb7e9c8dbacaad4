/** Reads sign-in attempts from what a server or a guard does. */
import type { Grant, Hash } from '@grantkit/core/feature'
import {
  type About,
  type BaseEvent,
  type ErrorPlace,
  hashesOf,
  type ObservedRequest,
  type Observer,
  type ObserverContext,
  type PresentedRecords,
  type Report,
  type ReportedError,
  type RequestIdentity,
  sameSecret,
} from '@grantkit/core/internal'
import type { KnownOfRequest } from './attempt-facts.ts'
import { attemptsOf } from './attempts.ts'
import type { StepName } from './sign-in-steps.ts'

/** Other grant types have no user who signs in; a request may name any text. */
const STEP_OF_GRANT_TYPE: ReadonlyMap<string, StepName> = new Map([
  ['authorization_code', 'code_redeemed'],
  ['refresh_token', 'refreshed'],
  ['urn:ietf:params:oauth:grant-type:device_code', 'code_redeemed'],
  ['urn:openid:params:grant-type:ciba', 'code_redeemed'],
])

/** By the event of a user who denies a device or a request: the answer that a poll gets later. */
const DENIALS: ReadonlyMap<string, ReportedError> = new Map(
  ['device_denied', 'backchannel_denied'].map((reason) => [reason, { reason, status: 400 }]),
)
/** What a user allows on a page that no client sent them to. */
const APPROVALS = ['device_approved', 'backchannel_approved', 'operation_approved']
const REQUESTS = ['device_requested', 'backchannel_requested', 'backchannel_user_unknown']

type Reported<Fact> = (report: Extract<Report, { fact: Fact }>, request: ObservedRequest) => void

export interface SignInAttempts extends Observer {
  refused(request: ObservedRequest, error: ReportedError, at?: ErrorPlace): RequestIdentity
  identityOf(request: ObservedRequest): RequestIdentity
  /**
   * The user could not sign in, outside of the server, for an authorization request with these parameters.
   *
   * @param subject the user who was signed in. Never an unverified one: the attempt is listed for this user
   */
  signInRefused(
    request: ObservedRequest,
    parameters: Readonly<Record<string, unknown>>,
    error: ReportedError,
    subject?: string,
  ): RequestIdentity
}

/**
 * An observer of a server or a guard: each error carries the reference of its sign-in attempt, and each step of an attempt is an
 * event of the type `step`.
 *
 * @param secret that references are derived with, so that all replicas agree. Without it, a request that names no record has a
 *   random reference
 */
export function signInAttempts(context: ObserverContext, secret?: string): SignInAttempts {
  const attempts = attemptsOf(context, secret)
  const { know, step } = attempts

  function emitted(event: BaseEvent, request: ObservedRequest): void {
    const { clientId, known, grantId, subject, scopes } = event as BaseEvent & Record<string, never>
    if (event.type === 'client_registered')
      step(request, 'registered', { clientId, clientKind: 'registered', knownClient: known })
    if (REQUESTS.includes(event.type)) step(request, 'requested')
    if (event.type === 'consent_granted') step(request, 'allowed')
    if (APPROVALS.includes(event.type)) step(request, 'allowed', { grantId, clientId, subject, scopes })
    const denial = DENIALS.get(event.type)
    if (denial !== undefined) {
      know(request, { expects: 'denied' })
      attempts.refused(request, denial)
    }
  }

  const reported: { readonly [Fact in Report['fact']]: Reported<Fact> } = {
    request_read: (report, request) => know(request, knownIn(report)),
    authorization_requested(report, request) {
      step(request, 'requested', knownIn(report))
      know(request, { expects: 'client_found' })
    },
    form_accepted: ({ subject }, request) => know(request, { subject, expects: 'client_found' }),
    client_described: ({ from, fault }, request) => know(request, { document: from, fault }),
    client_found: ({ client }, request) => step(request, 'client_found', { client }),
    redirect_uri_accepted: ({ known }, request) => know(request, { knownClient: known }),
    sign_in_shown: (_, request) => step(request, 'sign_in_shown'),
    signed_in: ({ subject, signedInBy }, request) => step(request, 'signed_in', { subject, signedInBy }),
    consent_shown: (report, request) =>
      step(request, 'consent_shown', { ...knownIn(report), scopes: report.scopes }),
    consent_answered: ({ grant }, request) =>
      know(request, { grant, scopes: grant?.scopes, expects: grant ? 'allowed' : 'denied' }),
    code_sent: (_, request) => step(request, 'sent_back'),
    tokens_issued({ grantType, grant, issued }, request) {
      const named = STEP_OF_GRANT_TYPE.get(grantType)
      if (named !== undefined) attempts.used(grant, named, request, issued)
    },
    token_used: ({ grant, resource }, request) => attempts.called(grant, resource, request),
    client_refused(report, request) {
      const { endpoint, records, parameters = {}, client } = report
      const named = endpoint === 'token_endpoint' ? String(parameters.grant_type) : ''
      const known = { ...knownIn(report), ...knownOfRecords(records, client?.clientId) }
      know(request, { ...known, expects: STEP_OF_GRANT_TYPE.get(named) })
    },
  }

  const identified = (request: ObservedRequest, error: ReportedError) => ({
    ...attempts.refused(request, error),
    recorded: attempts.referenceOf(request),
  })

  return {
    report: (report, request) => reported[report.fact](report as never, request),
    emitted(event, request) {
      if (request !== undefined) emitted(event, request)
    },
    ended: attempts.ended,
    refused(request, error, { endpoint, call }: ErrorPlace = {}) {
      if (endpoint === 'registration_endpoint') know(request, { expects: 'registered' })
      if (call !== undefined) {
        const grant = call.grant && withReferenceFor(call.hash, call.grant)
        know(request, { expects: 'first_call', resource: call.resource, grant })
      }
      return identified(request, error)
    },
    signInRefused(request, parameters, error, subject) {
      know(request, { sent: parameters, subject, expects: 'signed_in' })
      return identified(request, error)
    },
    identityOf: (request) => ({
      recorded: attempts.referenceOf(request),
      reference: attempts.shownReferenceOf(request),
    }),
  }
}

function knownIn({ parameters: sent, client, clientId, subject, reference }: About): KnownOfRequest {
  return { sent, client, clientId, subject, reference }
}

/**
 * The attempt of a credential, from its records.
 *
 * @param clientId of the request: the reference of another client's record would tell that the credential is valid
 */
export function knownOfRecords(
  { grant, transient, hash }: PresentedRecords,
  clientId: string | undefined,
): KnownOfRequest {
  if (grant !== undefined) {
    const isOwner = clientId === (grant.ended?.clientId ?? grant.clientId)
    return { grant: withReferenceFor(isOwner ? hash : undefined, grant) }
  }
  const isOwner = hash !== undefined && transient?.clientId === clientId && transient?.codeHash === hash
  const reference = isOwner ? transient?.reference : undefined
  return typeof reference === 'string' ? { reference } : {}
}

/**
 * A grant, with its reference only for a caller that has one of its credentials: to a caller that made one up, the same
 * reference twice would tell that there is such a grant.
 */
function withReferenceFor(hash: Hash | undefined, grant: Grant): Grant {
  const known = grant.ended?.hashes ?? hashesOf(grant)
  if (hash !== undefined && known.some((own) => sameSecret(own, hash))) return grant
  return { ...grant, reference: undefined }
}
