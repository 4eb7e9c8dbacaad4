import { ERRORS } from '@grantkit/core/errors'
import type { AuditedEvent } from '../audit/entry.ts'
import type { SignInReason } from '../events.ts'

/** The words of the operator's view for events, reasons and facts. */

const EVENTS: Readonly<Record<AuditedEvent['type'] | 'left_out', string>> = {
  access_token_dropped: 'An old access token was dropped',
  access_token_revoked: 'An app revoked an access token',
  account_added: 'An account was added',
  account_admin_added: 'A user was made an admin',
  account_admin_removed: 'A user is no longer an admin',
  account_disabled: 'A user was disabled',
  account_enabled: 'A user was enabled',
  account_password_changed: 'A password was changed',
  account_removed: 'An account was removed',
  assertion_exchanged: 'An issuer allowed an app by an assertion',
  assertion_refused: 'An assertion was refused',
  attempt_read: 'An operator read a sign-in attempt',
  claims_unreleased: 'Claims of a user were not released',
  token_claims_protected: 'Claims of tokens with names of the protocol were left out',
  client_added: 'An operator added a client',
  client_credentials_token_issued: 'A client got a token of its own',
  client_document_changed: 'The document of a client changed',
  client_document_copy_used: 'A copy of a document described a known client',
  client_document_failed: 'The document of a client could not be read',
  client_keys_failed: 'The keys of a client could not be read',
  client_changed: 'An operator changed a client',
  client_old_secret_dropped: 'An operator ended the older secret of a client',
  client_registered: 'A client registered itself',
  client_removed: 'A client was removed',
  client_secret_expiring: 'The secret of a client ends soon',
  client_secret_rotated: 'An operator gave a client a new secret',
  code_redeemed: 'An app got its first tokens',
  consent_denied: 'A user denied an app',
  consent_granted: 'A user approved an app',
  device_approved: 'A user approved a device',
  device_code_redeemed: 'A device got its first tokens',
  device_code_retried: 'A device asked again for its first tokens',
  device_denied: 'A user denied a device',
  device_requested: 'A device asked for a code',
  failed: 'A request failed at the server',
  grant_ended: 'A grant was ended for safety',
  grant_revoked: 'A grant was revoked',
  identity_linked: 'A provider was linked to an account',
  identity_removed: 'A provider was removed from an account',
  initial_access_token_added: 'An operator made an initial access token',
  initial_access_token_removed: 'An operator ended an initial access token',
  left_out: 'More entries than the trail keeps',
  limiter_failed: 'Rate limits could not be counted',
  logout_undelivered: 'An app could not be notified that a user signed out',
  outbox_failed: 'Messages to apps could not be looked for',
  old_secret_used: 'A client still uses its older secret',
  passkey_added: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
  personal_token_created: 'A user created a personal access token',
  personal_token_ended: 'A personal access token was revoked',
  personal_token_expiring: 'A personal access token in use ends soon',
  personal_tokens_leaked: 'A secret scanner reported personal access tokens',
  password_mail_sent: 'A user was sent a link for a new password',
  refresh_token_kept: 'An app got tokens and keeps its refresh token',
  refresh_token_retried: 'An app repeated a refresh',
  refresh_token_rotated: 'An app refreshed its tokens',
  refused: 'A request was refused',
  sessions_ended: 'All sessions of a user, or of all users, ended',
  sign_in_failed: 'A sign-in failed',
  sign_in_succeeded: 'A user signed in',
  signed_out: 'A user signed out',
  signing_keys_changed: 'Other signing keys are in use',
  signing_keys_refused: 'Signing keys were refused',
  signing_keys_rotated: 'The signing keys were rotated',
  step: 'A step of a sign-in',
  token_exchanged: 'A token was exchanged',
  user_code_wrong: 'A wrong device code was entered',
  webhook_disabled: 'An endpoint of webhooks gets no messages any more',
  webhook_enabled: 'An endpoint of webhooks gets messages again',
  webhook_undelivered: 'Messages to an endpoint of webhooks did not arrive',
}

/** Where the description of an error is for the client, and does not tell the operator which case it was. */
const REASONS: Readonly<Record<string, string>> = {
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

const SIGN_IN_REASONS: Readonly<Record<SignInReason, string>> = {
  wrong_password: 'Wrong password, or no such user',
  wrong_passkey: 'The passkey is unknown, or its answer wrong',
  too_many_attempts: 'Too many attempts',
  provider_denied: 'The user or the provider denied it',
  provider_unreachable: 'The provider cannot be reached, or its response is invalid',
  provider_expired: 'The sign-in began in another browser or too long ago',
  provider_not_fresh: 'The provider confirmed no new sign-in',
  provider_account_disabled:
    'The account that is connected with the user of the provider is disabled or removed',
  provider_email_in_use:
    'The user of the provider has the address of an account that is not connected with them',
  provider_identity_in_use: 'The user of the provider is connected with another account',
  provider_sign_up_refused: 'The user of the provider has no account, and may not sign up',
  provider_too_long: 'The way back from the provider is too long for a cookie',
  application_denied: 'The application denied it',
  application_invalid: 'The signature or a claim in the response of the application is wrong',
  application_unreachable: 'The keys of the application cannot be fetched',
  application_expired: 'The response of the application came too late, twice, or to another browser',
  application_not_fresh: 'The application confirmed no new sign-in',
  application_too_long: 'The authorization request is too long for a cookie',
  application_account_disabled: 'An operator disabled the user of the application',
  application_account_removed: 'An operator removed the user of the application',
  application_account_taken: 'An account that did not come from the application has this id',
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

/** What happened. Entries of features and of other releases have other types: their name, with spaces. */
export function eventWords(type: string): string {
  return Object.hasOwn(EVENTS, type) ? EVENTS[type as keyof typeof EVENTS] : spaced(type)
}

/** Why a request was refused or a sign-in failed. */
export function reasonWords(reason: string): string {
  const words: Readonly<Record<string, string>> = { ...REASONS, ...SIGN_IN_REASONS }
  const own = Object.hasOwn(words, reason) ? words[reason] : undefined
  const known = Object.hasOwn(ERRORS, reason) ? ERRORS[reason as keyof typeof ERRORS].description : undefined
  // The next sentence tells the client what to do.
  return own ?? known?.split('. ')[0] ?? spaced(reason)
}

/** The name of a member of an entry. */
export function factWords(name: string): string {
  return (Object.hasOwn(FACTS, name) ? FACTS[name] : undefined) ?? spaced(name.replace(/[A-Z]/g, '_$&'))
}

function spaced(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ')
}
