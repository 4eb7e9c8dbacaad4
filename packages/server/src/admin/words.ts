import { ERRORS } from '@grantkit/core/errors'
import { verdictOfSignIn } from '../attempts/words.ts'
import { spaced } from '../events.ts'

/** The words of the operator's view for reasons and facts. */

/** Where the description of an error is for the client, and does not tell the operator which case it was. */
const REASONS: Readonly<Record<string, string>> = {
  wrong_password: 'Wrong password, or no such user',
  wrong_passkey: 'The passkey is unknown, or its answer wrong',
  passkey_required: 'The account needs its passkey, and this was another way',
  passkey_missing: 'The account needs a passkey, and has none yet',
  not_connected: 'A sign-in to connect a provider was right, and connected nothing',
  too_many_attempts: 'Too many attempts',
  assertion_algorithm: 'The client assertion has an unsupported algorithm',
  assertion_audience: 'The client assertion is for another server',
  assertion_early: 'The client assertion is not valid yet',
  assertion_expired: 'The client assertion has expired',
  assertion_issuer: 'The client assertion is of another client',
  assertion_jti: 'The client assertion has no usable jti',
  assertion_malformed: 'The client assertion is malformed',
  assertion_replayed: 'The client assertion was used before',
  assertion_signature: 'The signature of the client assertion is wrong',
  assertion_too_long: 'The client assertion is valid for too long',
  assertion_typ: 'The client assertion has another typ',
  actor_token_unsupported: 'A token exchange named an actor_token',
  code_of_other_client: 'The authorization code is of another client',
  code_redirect_uri_missing: 'The token request has no redirect_uri',
  code_unknown: 'The authorization code is unknown',
  auth_req_id_of_other_client: 'The auth_req_id is of another client',
  auth_req_id_unknown: 'The auth_req_id is unknown',
  backchannel_denied: 'The user denied the request',
  backchannel_hint_unverified: 'id_token_hint of a request for a user cannot be verified',
  backchannel_pending: 'The user has not answered the request yet',
  backchannel_polled_too_fast: 'The client polls too fast for the answer of a user',
  backchannel_request_answered: 'The request of a client was already answered',
  backchannel_ticket_invalid: 'The form for a request has expired or is of another sign-in',
  client_blocked_by_user: 'The user wants no requests of the client',
  device_code_of_other_client: 'The device code is of another client',
  device_code_unknown: 'The device code is unknown',
  device_denied: 'The user denied the device',
  device_ticket_invalid: 'The form for a device has expired or is of another sign-in',
  id_token_hint_unverified: 'id_token_hint of an authorization request cannot be verified',
  jwt_grant_algorithm: 'The assertion is signed by an algorithm that its trust does not accept',
  jwt_grant_audience: 'The assertion is for another server',
  jwt_grant_claims: 'A claim of the assertion is missing or malformed',
  jwt_grant_client: 'The assertion is for another client, or its trust does not admit this one',
  jwt_grant_client_public: 'A public client presented an ID-JAG',
  jwt_grant_early: 'The assertion is not valid yet',
  jwt_grant_expired: 'The assertion has expired',
  jwt_grant_issuer: 'The issuer of the assertion is not trusted',
  jwt_grant_key: 'The assertion is bound to a key that the request does not prove',
  jwt_grant_malformed: 'The assertion cannot be read',
  jwt_grant_replayed: 'The assertion was used before',
  jwt_grant_resource: 'The assertion is for a resource that its trust does not give',
  jwt_grant_rule: 'No rule for workloads matches the assertion, or several do',
  jwt_grant_signature: 'No key of the issuer verifies the assertion',
  jwt_grant_subject: 'The user of the assertion has no linked account, or is disabled',
  jwt_grant_too_long: 'The assertion is valid for too long',
  jwt_grant_typ: 'The assertion has another typ',
  refresh_token_of_other_client: 'The refresh token is of another client',
  refresh_token_unknown: 'The refresh token is unknown',
  request_uri_expired: 'The pushed request has expired',
  request_uri_of_other_client: 'The pushed request is of another client',
  request_uri_unknown: 'The pushed request is unknown',
  subject_token_of_other_client: 'The token to exchange is for another client',
  subject_token_type_unsupported: 'The token to exchange is of an unsupported type',
  subject_token_unknown: 'The token to exchange is unknown, expired or revoked',
}

const FACTS: Readonly<Record<string, string>> = {
  by: 'caused by',
  clientKind: 'kind of client',
  clientId: 'client',
  compromised: 'because of a theft',
  count: 'times',
  members: 'changed',
  error: 'error code',
  grantId: 'grant',
  keyIds: 'keys',
  knownClient: 'known client',
  network: 'from network',
  path: 'at path',
  redirectUri: 'redirect URI',
  sessionId: 'session',
}

/** Why a request was refused or a sign-in failed. */
export function reasonWords(reason: string): string {
  const own = Object.hasOwn(REASONS, reason) ? REASONS[reason] : verdictOfSignIn(reason)?.sentence
  const known = Object.hasOwn(ERRORS, reason) ? ERRORS[reason as keyof typeof ERRORS].description : undefined
  // The next sentence tells the client what to do.
  return (own ?? known)?.split(/\.(?: |$)/)[0] ?? spaced(reason)
}

/** The name of a member of an entry. */
export function factWords(name: string): string {
  return (Object.hasOwn(FACTS, name) ? FACTS[name] : undefined) ?? spaced(name.replace(/[A-Z]/g, '_$&'))
}
