import type { ServerEvent } from '@grantkit/core'
import type { AuthorizationDetailSpent } from '@grantkit/core/authorization-details'
import type { BackchannelEvent } from '@grantkit/core/backchannel-authentication'
import type { ClientKeysFailed } from '@grantkit/core/client-assertion'
import type { ClientCredentialsTokenIssued } from '@grantkit/core/client-credentials'
import type { DocumentChanged, DocumentCopyUsed, DocumentFailed } from '@grantkit/core/client-documents'
import type { DeviceEvent } from '@grantkit/core/device'
import type { AssertionExchanged, AssertionRefused } from '@grantkit/core/jwt-bearer'
import type { OrganizationLeft } from '@grantkit/core/organizations'
import type {
  PersonalTokenCreated,
  PersonalTokenEnded,
  PersonalTokenExpiring,
} from '@grantkit/core/personal-tokens'
import type { RequestObjectAccepted } from '@grantkit/core/request-objects'
import type { TokenExchanged } from '@grantkit/core/token-exchange'
import type { StepEvent } from '@grantkit/explain'
import type {
  LogoutUndelivered,
  OutboxFailed,
  WebhookDisabled,
  WebhookEnabled,
  WebhookUndelivered,
} from '@grantkit/notifications'
import type { SigningKeysRotated } from './config/signing-keys-file.ts'

/**
 * All events of the service: those of core and its features, and those of accounts and sessions, which core does not
 * know.
 */
export type ServiceEvent =
  | ServerEvent
  | DocumentChanged
  | DocumentCopyUsed
  | DocumentFailed
  | ClientKeysFailed
  | ClientCredentialsTokenIssued
  | RequestObjectAccepted
  | TokenExchanged
  | AssertionExchanged
  | AssertionRefused
  | DeviceEvent
  | BackchannelEvent
  | PersonalTokenCreated
  | PersonalTokenEnded
  | PersonalTokenExpiring
  | OrganizationLeft
  | AuthorizationDetailSpent
  | LogoutUndelivered
  | OutboxFailed
  | WebhookDisabled
  | WebhookEnabled
  | WebhookUndelivered
  | SignInEvent
  | SignedOut
  | AccountEvent
  | RolesEvent
  | SignInMethodChanged
  | PasswordMailSent
  | AttemptRead
  | StepEvent

export type OnEvent = (event: ServiceEvent) => void

/** The events that the audit trail receives: those of the service and of its commands. */
export type AuditedEvent = ServiceEvent | SigningKeysRotated | RemapOpened

/** The command `identities remap`. */
interface RemapOpened {
  readonly type: 'remap_opened'
  /** The id of the provider. */
  readonly provider: string
  /** How many users can be found. */
  readonly people: number
}

/**
 * Who causes an event. It decides how many the trail keeps, and for how long. A `decision` changes who has access to an
 * account: it is never omitted.
 */
export type Cause = 'operator' | 'decision' | 'user' | 'unauthenticated'

/**
 * Each type with its cause, or `undefined` if the trail does not keep it: faults are logged, and uses of a grant are counted. Its
 * words are those of the operator's view. Its level is that of the log, by default `info`: each installation of an app uses its
 * grant every hour without any decision of a user.
 */
const EVENTS: Readonly<
  Record<
    AuditedEvent['type'] | 'left_out',
    readonly [cause: Cause | undefined, words: string, level?: 'debug' | 'warn']
  >
> = {
  claims_unreleased: [undefined, 'Claims of a user were not released'],
  token_claims_protected: [undefined, 'Claims of tokens with names of the protocol were left out'],
  client_registered: ['unauthenticated', 'A client registered itself'],
  client_added: ['operator', 'An operator added a client'],
  client_changed: ['operator', 'An operator changed a client'],
  client_secret_rotated: ['operator', 'An operator gave a client a new secret'],
  client_old_secret_dropped: ['operator', 'An operator ended the older secret of a client'],
  old_secret_used: ['user', 'A client still uses its older secret'],
  client_secret_expiring: ['user', 'The secret of a client ends soon'],
  initial_access_token_added: ['operator', 'An operator made an initial access token'],
  initial_access_token_removed: ['operator', 'An operator ended an initial access token'],
  client_removed: ['operator', 'A client was removed'],
  // It takes effect when a user approves it.
  client_document_changed: ['user', 'The document of a client changed'],
  client_document_copy_used: [undefined, 'A copy of a document described a known client'],
  client_document_failed: [undefined, 'The document of a client could not be read'],
  client_keys_failed: [undefined, 'The keys of a client could not be read'],
  consent_granted: ['decision', 'A user approved an app'],
  consent_denied: ['user', 'A user denied an app'],
  // Proof of what the client asked for, by its signature.
  request_object_accepted: ['decision', 'A signed request of an app was accepted'],
  device_requested: [undefined, 'A device asked for a code'],
  device_approved: ['decision', 'A user approved a device'],
  device_denied: ['user', 'A user denied a device'],
  device_code_redeemed: [undefined, 'A device got its first tokens', 'debug'],
  device_code_retried: [undefined, 'A device asked again for its first tokens'],
  user_code_wrong: ['user', 'A wrong device code was entered'],
  backchannel_requested: [undefined, 'A client asked a user for approval'],
  backchannel_user_unknown: [undefined, 'A client asked for a user that does not exist'],
  backchannel_notify_failed: [undefined, 'A user could not be told of a request'],
  backchannel_approved: ['decision', 'A user approved the request of a client'],
  backchannel_denied: ['user', 'A user denied the request of a client'],
  operation_approved: ['decision', 'A user approved one operation of an app'],
  backchannel_unblocked: ['user', 'A user lets a client ask again'],
  auth_req_id_redeemed: [undefined, 'A client got the first tokens of its request', 'debug'],
  auth_req_id_retried: [undefined, 'A client asked again for the first tokens of its request'],
  code_redeemed: [undefined, 'An app got its first tokens', 'debug'],
  refresh_token_rotated: [undefined, 'An app refreshed its tokens', 'debug'],
  refresh_token_retried: [undefined, 'An app repeated a refresh'],
  refresh_token_kept: [undefined, 'An app got tokens and keeps its refresh token', 'debug'],
  token_exchanged: [undefined, 'A token was exchanged'],
  // The issuer has opened a grant in place of the user.
  assertion_exchanged: ['decision', 'An issuer allowed an app by an assertion'],
  assertion_refused: ['unauthenticated', 'An assertion was refused'],
  client_credentials_token_issued: [undefined, 'A client got a token of its own'],
  personal_token_created: ['decision', 'A user created a personal access token'],
  personal_token_ended: ['decision', 'A personal access token was revoked'],
  personal_token_expiring: ['user', 'A personal access token in use ends soon'],
  // Counts alone: `personal_token_ended` names each token.
  personal_tokens_leaked: ['decision', 'A secret scanner reported personal access tokens'],
  access_token_dropped: [undefined, 'An old access token was dropped'],
  access_token_revoked: [undefined, 'An app revoked an access token'],
  grant_revoked: ['decision', 'A grant was revoked'],
  grant_ended: ['decision', 'A grant was ended for safety', 'warn'],
  authorization_detail_spent: [undefined, 'An API counted an operation against what its user allowed'],
  organization_left: ['decision', 'A user left the organization of a grant'],
  refused: ['unauthenticated', 'A request was refused'],
  step: [undefined, 'A step of a sign-in', 'debug'],
  signing_keys_rotated: ['operator', 'The signing keys were rotated'],
  signing_keys_changed: ['operator', 'Other signing keys are in use'],
  signing_keys_refused: [undefined, 'Signing keys were refused'],
  limiter_failed: [undefined, 'Rate limits could not be counted'],
  logout_undelivered: ['user', 'An app could not be notified that a user signed out'],
  outbox_failed: [undefined, 'Messages to apps, or mails to users, could not be looked for'],
  webhook_disabled: ['operator', 'An endpoint of webhooks gets no messages any more'],
  webhook_enabled: ['operator', 'An endpoint of webhooks gets messages again'],
  webhook_undelivered: [undefined, 'Messages to an endpoint of webhooks did not arrive'],
  failed: [undefined, 'A request failed at the server'],
  sign_in_succeeded: ['user', 'A user signed in'],
  sign_in_failed: ['unauthenticated', 'A sign-in failed'],
  sign_in_refused: ['unauthenticated', 'A sign-in with a provider was refused'],
  signed_out: ['user', 'A user signed out'],
  account_added: ['operator', 'An account was added'],
  account_password_changed: ['decision', 'A password was changed'],
  password_rehashed: [undefined, 'The hash of a password was replaced', 'debug'],
  account_disabled: ['operator', 'A user was disabled'],
  account_enabled: ['operator', 'A user was enabled'],
  account_admin_added: ['operator', 'A user was made an admin'],
  account_admin_removed: ['operator', 'A user is no longer an admin'],
  account_removed: ['operator', 'An account was removed'],
  enrolment_link_made: ['operator', 'An operator made a link for a passkey'],
  account_roles_changed: ['decision', 'A provider gave a user other roles'],
  account_roles_unread: ['user', 'A provider did not say the roles of a user'],
  sessions_ended: ['decision', 'All sessions of a user, or of all users, ended'],
  password_mail_sent: ['user', 'A user was sent a link for a new password'],
  passkey_added: ['decision', 'A passkey was added'],
  passkey_removed: ['decision', 'A passkey was removed'],
  identity_linked: ['decision', 'A provider was linked to an account'],
  identity_removed: ['decision', 'A provider was removed from an account'],
  identity_remapped: ['decision', 'A user of a provider was found again after a new app registration'],
  remap_opened: ['operator', 'An operator lets users be found again after a new app registration'],
  attempt_read: ['operator', 'An operator read a sign-in attempt'],
  left_out: ['unauthenticated', 'More entries than the trail keeps'],
}

// The trail writes the first, and commands the others.
const { left_out: _, signing_keys_rotated: __, remap_opened: ___, ...OF_SERVICE } = EVENTS
/** All types of `ServiceEvent`. */
export const EVENT_TYPES: readonly string[] = Object.keys(OF_SERVICE)

/** The types of the entries that the trail has. */
export const KEPT_TYPES: readonly string[] = Object.entries(EVENTS)
  .flatMap(([type, [cause]]) => (cause === undefined ? [] : [type]))
  .sort()

/** Also `undefined` for the events of features. */
export function causeOf(event: AuditedEvent): Cause | undefined {
  const cause = EVENTS[event.type]?.[0]
  if (event.type === 'account_added' && event.by === 'sign_up') return 'user'
  // A push that anybody can repeat is no decision: the trail bounds it.
  if (event.type === 'request_object_accepted' && event.subject === undefined && !event.authenticated)
    return 'user'
  return cause !== undefined && 'by' in event && event.by === 'operator' ? 'operator' : cause
}

export function levelOf({ type }: ServiceEvent): 'debug' | 'info' | 'warn' {
  return EVENTS[type]?.[2] ?? 'info'
}

/** What happened. Entries of features and of other releases have other types: their name, with spaces. */
export function eventWords(type: string): string {
  return Object.hasOwn(EVENTS, type) ? EVENTS[type as keyof typeof EVENTS][1] : spaced(type)
}

/** A name in words. */
export function spaced(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ')
}

/**
 * An account was changed: by a command, by the import of a file, by the first start in development, or at a sign-in with
 * an OpenID provider.
 */
export type AccountEvent =
  | { readonly type: 'account_added'; readonly subject: string; readonly by: AddedBy }
  | {
      readonly type: 'sessions_ended'
      /** Absent: those of all users. */
      readonly subject?: string
      readonly by: 'user' | 'operator'
    }
  | {
      readonly type: 'account_password_changed'
      readonly subject: string
      /** `user`: on the account page. `mail`: by the link of a mail. */
      readonly by: 'user' | 'mail' | 'operator'
    }
  | { readonly type: ChangeType; readonly subject: string }

export type AddedBy = 'operator' | 'import' | 'demo' | 'sign_up'

type ChangeType =
  | 'password_rehashed'
  | 'account_disabled'
  | 'account_enabled'
  | 'account_admin_added'
  | 'account_admin_removed'
  | 'account_removed'
  | 'enrolment_link_made'

/** At a sign-in with an OpenID provider that gives roles. */
export type RolesEvent =
  | {
      readonly type: 'account_roles_changed'
      readonly subject: string
      readonly provider: string
      /** Those that it gives now. */
      readonly roles: readonly string[]
    }
  | {
      readonly type: 'account_roles_unread'
      readonly subject: string
      readonly provider: string
      /** `claim_missing`: or it has another form. The roles stay until they expire. */
      readonly reason: 'groups_overage' | 'claim_missing'
    }

/** A sign-in attempt. `subject` is absent if no account has the presented credential. */
export type SignInEvent =
  | {
      readonly type: 'sign_in_succeeded'
      readonly subject: string
      readonly sessionId: string
      /** The first of the sessions that this one continues. */
      readonly firstId?: string | undefined
      readonly signedInBy?: string | undefined
      /** How the application authenticated the user, if it says so. */
      readonly acr?: string
      /** The address of the user counts because the operator vouches for its domain (`emailsVerified`). */
      readonly vouched?: true
    }
  | {
      readonly type: 'sign_in_failed'
      readonly reason:
        | 'wrong_password'
        | 'wrong_passkey'
        /** The account needs a passkey, and this was none: it has one, or must add a first one. */
        | 'passkey_required'
        | 'passkey_missing'
        /** The user signed in to connect a provider, and it was not connected. */
        | 'not_connected'
        | 'too_many_attempts'
        | `application_${ExternalSignInReason}`
        | `application_account_${NoImport}`
      readonly subject: string | undefined
      /** From now on, browsers that the account does not know have to wait. */
      readonly slowed?: true
      /** What is wrong with the response of the application. */
      readonly detail?: string
    }
  | SignInRefused

/** A sign-in with an OpenID provider, or the link to one, was refused. It names no address, and nobody at the provider. */
export interface SignInRefused {
  readonly type: 'sign_in_refused'
  /** The id of the provider. */
  readonly provider: string
  /** Of the identity, or as it is configured. */
  readonly issuer: string
  readonly reason: RefusalReason
  /** Of the address; without one, the tenant or the organization. */
  readonly domain?: string | undefined
  /** The account that is concerned, if one is. */
  readonly subject?: string | undefined
  /** As the user sees it; absent if sign-ins are not explained. */
  readonly reference?: string | undefined
  /** The error of the provider or of its client. */
  readonly detail?: string | undefined
}

export type RefusalReason = UpstreamReason | NoAccount

export type SignInReason = Extract<SignInEvent, { readonly reason: unknown }>['reason']

/** Why a sign-in with a provider failed. */
export type UpstreamReason =
  /** The user or the provider denied it. */
  | 'provider_denied'
  /** The provider did not respond. */
  | 'unreachable'
  /** The provider does not accept the configured client: its id, secret, redirect URI or scopes. */
  | 'client_rejected'
  /** The response of the provider is invalid. */
  | 'response_invalid'
  /** Not started in this browser within the last ten minutes, or completed already. */
  | 'state_expired'
  /** A new sign-in was required, and the provider did not confirm one. */
  | 'not_fresh'
  /** The address to which the user would return does not fit into a cookie. */
  | 'too_long'

/** Why an identity has no account to sign in to. */
export type NoAccount =
  | 'account_disabled'
  /** It is that of an admin, and the provider has neither PKCE nor a nonce. */
  | 'admin_refused'
  | 'email_in_use'
  | 'identity_in_use'
  | 'sign_up_off'
  | MembershipReason

/** What a user lacks of a rule of the operator. */
export type MembershipReason =
  | 'email_missing'
  | 'email_unverified'
  | 'domain_not_allowed'
  | 'tenant_not_allowed'
  /** Also for an organization. */
  | 'group_missing'
  /** The user is in more groups than fit into a token, which therefore names none. */
  | 'groups_overage'

/** Why a sign-in by the application failed. */
export type ExternalSignInReason =
  /** The application returned an error. */
  | 'denied'
  /** The response is not signed by the application for this server, or lacks something. */
  | 'invalid'
  /** The keys of the application could not be fetched. */
  | 'unreachable'
  /** Not started in this browser within the last ten minutes, too late, or used already. */
  | 'expired'
  /** A new sign-in was required, and the application returned an earlier one. */
  | 'not_fresh'
  /** The page to which the user returns is too long for a cookie. */
  | 'too_long'

/**
 * Why a user has no account to sign in to: an operator disabled or removed it, or the id is that of an account that
 * did not come from there, and so may belong to another person.
 */
export type NoImport = 'disabled' | 'removed' | 'taken'

/** The user ended the session, or replaced it by signing in again, or an operator ended it. */
export interface SignedOut {
  readonly type: 'signed_out'
  readonly subject: string
  readonly sessionId: string
  /** Default: the user. */
  readonly by?: 'operator' | undefined
}

/** A user changed their sign-in methods. */
export type SignInMethodChanged =
  | { readonly type: 'passkey_added' | 'passkey_removed'; readonly subject: string; readonly passkey: string }
  | {
      /** `identity_remapped`: `tid` and `oid` found its user again, who has another `sub` now. */
      readonly type: 'identity_linked' | 'identity_removed' | 'identity_remapped'
      readonly subject: string
      readonly issuer: string
    }

/** A user was sent a link to set a new password. */
export interface PasswordMailSent {
  readonly type: 'password_mail_sent'
  readonly subject: string
}

/** An operator looked at a sign-in attempt, or at the latest ones of a user. */
interface AttemptRead {
  readonly type: 'attempt_read'
  /** As users see it. */
  readonly reference?: string | undefined
  /** The user whose attempt it is, if one signed in. */
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
}
