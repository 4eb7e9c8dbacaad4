import type { OAuthErrorCode, Reason } from './oauth-error.ts'
import type { RateLimit } from './rate-limits.ts'

/**
 * Everything an operator may want to log or count. Events carry ids, never a secret, code or token, so they can
 * be written to a log as they are.
 */
export type ServerEvent =
  | {
      readonly type: 'client_registered'
      readonly clientId: string
      readonly clientName?: string | undefined
    }
  | { readonly type: 'integration_added'; readonly clientId: string }
  | { readonly type: 'client_removed'; readonly clientId: string; readonly grantsEnded: number }
  | {
      readonly type: 'consent_granted'
      readonly grantId: string
      readonly clientId: string
      readonly subject: string
      readonly scopes: readonly string[]
    }
  | { readonly type: 'consent_denied'; readonly clientId: string; readonly subject: string }
  | { readonly type: 'code_redeemed'; readonly grantId: string; readonly clientId: string }
  | {
      readonly type: 'refresh_token_rotated'
      readonly grantId: string
      readonly clientId: string
      readonly generation: number
    }
  /** The answer to a rotation was lost and has been given again; nothing new was minted. */
  | {
      readonly type: 'refresh_token_retried'
      readonly grantId: string
      readonly clientId: string
      readonly generation: number
    }
  | { readonly type: 'access_token_revoked'; readonly grantId: string; readonly clientId: string }
  /** Ended on purpose: by the client (RFC 7009), by its user, or by the operator who removed the client. */
  | {
      readonly type: 'grant_revoked'
      readonly grantId: string
      readonly clientId: string
      readonly by: 'client' | 'user' | 'operator'
    }
  /** A stolen or replayed credential ended a whole grant: the one to raise an alarm on. */
  | {
      readonly type: 'grant_ended'
      readonly grantId: string
      readonly clientId: string
      readonly reason: Reason
    }
  | {
      readonly type: 'refused'
      readonly path: string
      readonly error: OAuthErrorCode
      readonly reason: Reason
      readonly detail: string
    }
  /** Other signing keys are in use from now on. */
  | { readonly type: 'signing_keys_changed'; readonly keyIds: readonly string[] }
  /** Changed signing keys cannot be used, so the earlier ones stay. `cause` says why. */
  | { readonly type: 'signing_keys_refused'; readonly cause: unknown }
  /** The rate limiter rejected, and what it should have counted passed. `cause` is what it rejected with. */
  | { readonly type: 'limiter_failed'; readonly limit: RateLimit; readonly cause: unknown }
  /** A fault of the server or its store. `cause` is what was thrown. */
  | {
      readonly type: 'failed'
      readonly path: string
      readonly error: OAuthErrorCode
      readonly reason: Reason
      readonly cause: unknown
    }

export type OnEvent = (event: ServerEvent) => void
