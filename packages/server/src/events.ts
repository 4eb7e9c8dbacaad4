import type { ServerEvent } from '@grantkit/core'
import type { ClientKeysFailed } from '@grantkit/core/client-assertion'
import type { ClientCredentialsTokenIssued } from '@grantkit/core/client-credentials'
import type { DocumentChanged, DocumentCopyUsed, DocumentFailed } from '@grantkit/core/client-documents'
import type { DeviceEvent } from '@grantkit/core/device'
import type { AssertionExchanged, AssertionRefused } from '@grantkit/core/jwt-bearer'
import type {
  PersonalTokenCreated,
  PersonalTokenEnded,
  PersonalTokenExpiring,
} from '@grantkit/core/personal-tokens'
import type { TokenExchanged } from '@grantkit/core/token-exchange'
import type { StepEvent } from '@grantkit/explain'
import type {
  LogoutUndelivered,
  OutboxFailed,
  WebhookDisabled,
  WebhookEnabled,
  WebhookUndelivered,
} from '@grantkit/notifications'

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
  | TokenExchanged
  | AssertionExchanged
  | AssertionRefused
  | DeviceEvent
  | PersonalTokenCreated
  | PersonalTokenEnded
  | PersonalTokenExpiring
  | LogoutUndelivered
  | OutboxFailed
  | WebhookDisabled
  | WebhookEnabled
  | WebhookUndelivered
  | SignInEvent
  | SignedOut
  | AccountEvent
  | SignInMethodChanged
  | PasswordMailSent
  | AttemptRead
  | StepEvent

export type OnEvent = (event: ServiceEvent) => void

/** All types. */
export const EVENT_TYPES: readonly string[] = Object.keys({
  claims_unreleased: true,
  token_claims_protected: true,
  client_registered: true,
  client_added: true,
  client_changed: true,
  client_secret_rotated: true,
  client_old_secret_dropped: true,
  old_secret_used: true,
  client_secret_expiring: true,
  initial_access_token_added: true,
  initial_access_token_removed: true,
  client_removed: true,
  client_document_changed: true,
  client_document_copy_used: true,
  client_document_failed: true,
  client_keys_failed: true,
  consent_granted: true,
  consent_denied: true,
  device_requested: true,
  device_approved: true,
  device_denied: true,
  device_code_redeemed: true,
  device_code_retried: true,
  user_code_wrong: true,
  code_redeemed: true,
  refresh_token_rotated: true,
  refresh_token_retried: true,
  refresh_token_kept: true,
  token_exchanged: true,
  assertion_exchanged: true,
  assertion_refused: true,
  client_credentials_token_issued: true,
  personal_token_created: true,
  personal_token_ended: true,
  personal_token_expiring: true,
  personal_tokens_leaked: true,
  access_token_dropped: true,
  access_token_revoked: true,
  grant_revoked: true,
  grant_ended: true,
  refused: true,
  step: true,
  signing_keys_changed: true,
  signing_keys_refused: true,
  limiter_failed: true,
  logout_undelivered: true,
  outbox_failed: true,
  webhook_disabled: true,
  webhook_enabled: true,
  webhook_undelivered: true,
  failed: true,
  sign_in_succeeded: true,
  sign_in_failed: true,
  signed_out: true,
  account_added: true,
  account_password_changed: true,
  account_disabled: true,
  account_enabled: true,
  account_admin_added: true,
  account_admin_removed: true,
  account_removed: true,
  sessions_ended: true,
  password_mail_sent: true,
  passkey_added: true,
  passkey_removed: true,
  identity_linked: true,
  identity_removed: true,
  attempt_read: true,
} satisfies Record<ServiceEvent['type'], true>)

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
  | 'account_disabled'
  | 'account_enabled'
  | 'account_admin_added'
  | 'account_admin_removed'
  | 'account_removed'

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
    }
  | {
      readonly type: 'sign_in_failed'
      readonly reason:
        | 'wrong_password'
        | 'wrong_passkey'
        | 'too_many_attempts'
        | `provider_${UpstreamReason | NoAccount}`
        | `application_${ExternalSignInReason}`
        | `application_account_${NoImport}`
      readonly subject: string | undefined
      /** The id of the OpenID provider. `detail`: its error, or what is wrong with the response of the application. */
      readonly provider?: string
      readonly detail?: string
    }

export type SignInReason = Extract<SignInEvent, { type: 'sign_in_failed' }>['reason']

/** Why a sign-in with a provider failed. */
export type UpstreamReason =
  /** The user or the provider denied it. */
  | 'denied'
  /** The provider did not respond, or its response is invalid. */
  | 'unreachable'
  /** Not started in this browser within the last ten minutes, or completed already. */
  | 'expired'
  /** A new sign-in was required, and the provider did not confirm one. */
  | 'not_fresh'
  /** The address to which the user would return does not fit into a cookie. */
  | 'too_long'

/** Why an identity has no account to sign in to. */
export type NoAccount = 'account_disabled' | 'email_in_use' | 'identity_in_use' | 'sign_up_refused'

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

/** The user ended the session, or replaced it by signing in again. */
export interface SignedOut {
  readonly type: 'signed_out'
  readonly subject: string
  readonly sessionId: string
}

/** A user changed their sign-in methods. */
export type SignInMethodChanged =
  | { readonly type: 'passkey_added' | 'passkey_removed'; readonly subject: string; readonly passkey: string }
  | {
      readonly type: 'identity_linked' | 'identity_removed'
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
  readonly reference?: string | undefined
  /** The user whose attempt it is, if one signed in. */
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
}
