import * as z from 'zod'
import { REQUEST_ERRORS } from '../../authorization/authorization-request.ts'
import type { ClientEndpoint } from '../../clients/client-endpoint.ts'
import { type DecoupledRequest, INTERVAL, requestTimes } from '../../grants/decoupled-request.ts'
import { GRANT_TYPE_ERRORS } from '../../grants/token-endpoint.ts'
import { type HttpRequest, json } from '../../http/http.ts'
import { type Parameters, ResourceParameter, readMessage, text } from '../../http/message.ts'
import { displayText } from '../../kernel/display-text.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { requestedMembers } from '../../kernel/resource-indicator.ts'
import { OPENID, scopesOfRequest } from '../../kernel/scope.ts'
import { hmacSha256, newGrantId, newId, newSecret, sha256 } from '../../kernel/secrets.ts'
import { verifiedHint } from '../../openid/id-token.ts'
import { formatDecoupledCode } from '../../tokens/credential.ts'
import { optionalProofKey } from '../../tokens/proof-of-possession.ts'
import { keyOfUser, openFor, type Place, storeOpened, type UserRequestsContext } from './user-requests.ts'

/**
 * OpenID Connect Client-Initiated Backchannel Authentication Core 1.0 (CIBA) 4.
 *
 * @example
 * ```ts
 * import { CIBA_GRANT } from '@grantkit/core/backchannel-authentication'
 *
 * const poll = new URLSearchParams({ grant_type: CIBA_GRANT, auth_req_id: 'gkb_…' })
 * ```
 */
export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba'

export const BACKCHANNEL_REQUEST_ERRORS = defineErrors({
  user_hint_missing: [
    'invalid_request',
    'Name the user by exactly one of login_hint, id_token_hint and login_hint_token',
  ],
  login_hint_token_unsupported: [
    'invalid_request',
    'This server reads no login_hint_token. Send login_hint or id_token_hint',
  ],
  backchannel_hint_unverified: [
    'invalid_request',
    'The server cannot verify id_token_hint. Send an ID token that it issued to this client',
  ],
  ...withCode('invalid_scope', {
    backchannel_openid_missing: 'scope must contain openid',
    backchannel_scope_restricted:
      'The request has a scope that users allow only in the authorization code flow. Leave it out',
  }),
  requested_expiry_invalid: ['invalid_request', 'requested_expiry must be a number of seconds'],
  binding_message_invalid: [
    'invalid_binding_message',
    'binding_message must be 1 to 60 visible characters on one line',
  ],
  user_unknown: ['unknown_user_id', 'No user has this hint'],
  too_many_backchannel_requests: [
    'temporarily_unavailable',
    'This client asked this user too often. Try again later',
    429,
  ],
})

/** CIBA 7.1, RFC 8707 2. */
const BackchannelAuthenticationRequest = z.object({
  scope: text().optional(),
  login_hint: text(500).optional(),
  id_token_hint: text(8000).optional(),
  login_hint_token: text().optional(),
  binding_message: text().optional(),
  requested_expiry: text().optional(),
  acr_values: text().optional().catch(undefined),
  resource: ResourceParameter,
})
type BackchannelAuthenticationRequest = z.output<typeof BackchannelAuthenticationRequest>

/** How a client names a user. */
export interface UserHint {
  /** The parameter. `id_token_hint`: it was verified, and `value` is its `sub`. */
  readonly name: 'login_hint' | 'id_token_hint' | 'login_hint_token'
  readonly value: string
}

/** A request waits for its user, who must hear of it. */
export interface BackchannelNotice {
  readonly requestId: string
  readonly clientId: string
  readonly subject: string
  /** The page of this request. Only its user can open it, and whoever has it signs in as always. */
  readonly url: string
  /** When the request ends, in epoch seconds. */
  readonly expiresAt: number
}

/** A client asked for a user. */
export interface BackchannelRequested extends BackchannelNotice {
  readonly type: 'backchannel_requested'
}

/** A client asked for a user, and no user has the hint. */
export interface BackchannelUserUnknown {
  readonly type: 'backchannel_user_unknown'
  readonly requestId: string
  readonly clientId: string
}

/** A user was not notified of a request, which waits on their page. `cause` is the rejection of `notify`. */
export interface BackchannelNotifyFailed {
  readonly type: 'backchannel_notify_failed'
  readonly requestId: string
  readonly clientId: string
  readonly cause: unknown
}

/** The feature, as its endpoint knows it. */
export interface BackchannelRequests extends UserRequestsContext {
  readonly userOf: (hint: UserHint) => Promise<string | undefined>
  readonly notify: (notice: BackchannelNotice) => void | Promise<void>
  readonly loginHintTokens: boolean
  readonly tellUnknownUsers: boolean
  /** Of the page of requests. */
  readonly pageUri: string
}

/** The backchannel authentication endpoint (CIBA 7). The `auth_req_id` is bound to the key of a DPoP proof. */
export function backchannelEndpoint(context: BackchannelRequests, path: string): ClientEndpoint {
  const { server } = context
  return {
    path,
    metadataName: 'backchannel_authentication_endpoint',
    summary: 'Ask a user for approval, without their browser (CIBA 7)',
    message: BackchannelAuthenticationRequest,
    confidential: true,
    begin(form) {
      if (form.request !== undefined) throw new OAuthError(REQUEST_ERRORS.request_object_unsupported)
      const requested = readMessage(BackchannelAuthenticationRequest, form)
      return async (client, http) => {
        const parameters = { ...requested, client_id: client.clientId }
        server.observer?.report({ fact: 'request_read', parameters, client }, http)
        const key = optionalProofKey(server.senderConstraint, http, client)
        const access = requestedAccess(context, client, requested, form)
        const lifetime = lifetimeOf(requested)
        const user = await namedUser(context, client, requested)
        const reference = server.observer?.identityOf(http)?.recorded
        const origin = { address: http.remoteAddress, jkt: key?.thumbprint, reference }
        const { requestId, authReqId, endsAt, waits } = await storedRequest(context, user, lifetime, {
          ...access,
          ...origin,
        })
        const { subject } = user
        const ids = { requestId, clientId: client.clientId }
        if (subject === undefined)
          server.emit({ type: 'backchannel_user_unknown', ...ids } satisfies BackchannelUserUnknown, http)
        // One that ended at once, with the sessions of its user, notifies no user.
        else if (waits) announce(context, { ...ids, subject, expiresAt: endsAt }, http)
        // CIBA 7.3.
        return json(200, { auth_req_id: authReqId, expires_in: lifetime, interval: INTERVAL }, key?.headers)
      }
    },
  }
}

/**
 * Counts a request, and takes a place among those that wait for its user. A request without a place is refunded: the user
 * never sees it.
 *
 * @param key of the user
 * @returns when the place ends
 * @throws OAuthError 429 or 403
 */
export async function takePlace(context: BackchannelRequests, key: string, place: Place): Promise<number> {
  const { limiter } = context.server
  const counted = `${place.clientId} ${key}`
  const { too_many_backchannel_requests } = BACKCHANNEL_REQUEST_ERRORS
  await limiter.limit('backchannel_request', counted, too_many_backchannel_requests)
  try {
    return await openFor(context, key, place)
  } catch (refusal) {
    await limiter.refund('backchannel_request', counted)
    throw refusal
  }
}

/** Tells of a request that waits for its user. */
export function announce(
  context: BackchannelRequests,
  request: Omit<BackchannelNotice, 'url'>,
  http?: HttpRequest,
): void {
  const notice = { ...request, url: requestUrl(context.pageUri, request.requestId) }
  context.server.emit({ type: 'backchannel_requested', ...notice } satisfies BackchannelRequested, http)
  void notifyUser(context, notice)
}

export function requestUrl(pageUri: string, requestId: string): string {
  return `${pageUri}?request=${requestId}`
}

/** Not awaited: how long it takes would reveal that the user exists. */
async function notifyUser({ server, notify }: BackchannelRequests, notice: BackchannelNotice): Promise<void> {
  const { requestId, clientId } = notice
  try {
    await notify(notice)
  } catch (cause) {
    const event = { type: 'backchannel_notify_failed', requestId, clientId, cause } as const
    server.emit(event satisfies BackchannelNotifyFailed)
  }
}

type RequestedAccess = Pick<
  DecoupledRequest,
  'clientId' | 'scopes' | 'ignoredScopes' | 'resources' | 'asked' | 'acrValues' | 'message'
>

function requestedAccess(
  { server }: BackchannelRequests,
  client: Client,
  { scope, resource, acr_values, binding_message }: BackchannelAuthenticationRequest,
  form: Parameters,
): RequestedAccess {
  if (client.origin !== 'integration' || !client.grantTypes.includes(CIBA_GRANT))
    throw new OAuthError(GRANT_TYPE_ERRORS.grant_type_not_registered)
  const { scopes, ignoredScopes } = scopesOfRequest(server.scopes, server, client, scope)
  if (!scopes.includes(OPENID)) throw new OAuthError(BACKCHANNEL_REQUEST_ERRORS.backchannel_openid_missing)
  // Their consent page may demand a stronger sign-in, which the page of a request does not know of.
  if (scopes.some((name) => server.scopes[name]?.restricted))
    throw new OAuthError(BACKCHANNEL_REQUEST_ERRORS.backchannel_scope_restricted)
  const resources = requestedMembers(resource, server.resources)
  const asked = server.requestTerms?.asked(form, { client, scopes, resources })
  return {
    clientId: client.clientId,
    scopes,
    ignoredScopes,
    resources,
    ...(asked && { asked }),
    acrValues: server.authenticationClasses.requested(acr_values),
    message: binding_message === undefined ? undefined : shownMessage(binding_message),
  }
}

const MAX_MESSAGE = 60

/** The client wrote it, perhaps by the will of somebody else: it is short, and stands in quotes on the page. */
function shownMessage(sent: string): string {
  const shown = displayText(sent)
  if (shown === '' || [...shown].length > MAX_MESSAGE)
    throw new OAuthError(BACKCHANNEL_REQUEST_ERRORS.binding_message_invalid)
  return shown
}

/** In seconds. */
export const LIFETIME = 300
const [MIN_LIFETIME, MAX_LIFETIME] = [30, 600]

/** In seconds. The answer says what the client gets (CIBA 7.3). */
function lifetimeOf({ requested_expiry: sent }: BackchannelAuthenticationRequest): number {
  if (sent === undefined) return LIFETIME
  if (!/^[1-9]\d{0,8}$/.test(sent)) throw new OAuthError(BACKCHANNEL_REQUEST_ERRORS.requested_expiry_invalid)
  return Math.min(Math.max(Number(sent), MIN_LIFETIME), MAX_LIFETIME)
}

/** Whom a client asks for. */
interface NamedUser {
  readonly subject: string | undefined
  /** Of the record of their requests. */
  readonly key: string
}

/** A hint that no user has is answered like any other: only the approval never comes (CIBA 13, `unknown_user_id`). */
async function namedUser(
  context: BackchannelRequests,
  client: Client,
  requested: BackchannelAuthenticationRequest,
): Promise<NamedUser> {
  const hint = await hintIn(context, client, requested)
  const subject = await context.userOf(hint)
  if (subject !== undefined) return { subject, key: keyOfUser(subject) }
  if (context.tellUnknownUsers) throw new OAuthError(BACKCHANNEL_REQUEST_ERRORS.user_unknown)
  // Of two spellings of one name the second finds the first one's request open, with or without a user.
  const named = hint.value.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return { subject, key: hmacSha256(context.server.secret[0], `nobody\n${named}`) }
}

async function hintIn(
  { server, loginHintTokens }: BackchannelRequests,
  client: Client,
  { login_hint, id_token_hint, login_hint_token }: BackchannelAuthenticationRequest,
): Promise<UserHint> {
  const sent = Object.entries({ login_hint, id_token_hint, login_hint_token }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name: name as UserHint['name'], value }],
  )
  const [hint] = sent
  if (hint === undefined || sent.length > 1)
    throw new OAuthError(BACKCHANNEL_REQUEST_ERRORS.user_hint_missing)
  if (hint.name === 'login_hint_token' && !loginHintTokens)
    throw new OAuthError(BACKCHANNEL_REQUEST_ERRORS.login_hint_token_unsupported)
  if (hint.name !== 'id_token_hint') return hint
  const { backchannel_hint_unverified } = BACKCHANNEL_REQUEST_ERRORS
  const verified = await verifiedHint(server.keys, server.issuer, hint.value, backchannel_hint_unverified)
  // An ID token of another client is in the hands of that client: it proves nothing about this one.
  if (verified.audience !== client.clientId) throw new OAuthError(backchannel_hint_unverified)
  return { name: hint.name, value: verified.subject }
}

type StoredAccess = RequestedAccess & Pick<DecoupledRequest, 'address' | 'jkt' | 'reference'>

async function storedRequest(
  context: BackchannelRequests,
  { subject, key }: NamedUser,
  lifetime: number,
  access: StoredAccess,
) {
  const { server, kind } = context
  const times = requestTimes(server.now(), lifetime)
  const { endsAt } = times
  const grantId = newGrantId(server.random)
  const requestId = newId(server.random)
  const authReqId = formatDecoupledCode('gkb', { grantId, requestId, secret: newSecret(server.random) })
  const codeHash = sha256(authReqId)
  const request: DecoupledRequest = { kind, ...access, subject, grantId, codeHash, ...times }
  // The place first: a request beyond the limit leaves nothing.
  await takePlace(context, key, { requestId, clientId: access.clientId, endsAt })
  const waits = await storeOpened(context, key, requestId, request)
  return { requestId, authReqId, endsAt, waits }
}
