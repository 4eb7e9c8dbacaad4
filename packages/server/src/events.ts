import type { ServerEvent } from '@grantkit/core'
import type { LogoutUndelivered, OutboxFailed } from '@grantkit/core/back-channel-logout'
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
import type { WebhookDisabled, WebhookEnabled, WebhookUndelivered } from '@grantkit/core/webhooks'
import type { StepEvent } from '@grantkit/explain'
import type { AccountEvent } from './accounts/account-rows.ts'
import type { AttemptRead } from './attempts/read-attempt.ts'
import type { PasswordMailSent } from './sign-in/password-resets.ts'
import type { SignedOut } from './sign-in/session.ts'
import type { SignInEvent } from './sign-in/sign-in-attempt.ts'
import type { SignInMethodChanged } from './sign-in/ways-to-sign-in.ts'

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
