import type { z } from 'zod'
import type { Parameters } from '../http/parameters.ts'
import type { Client, Grant } from '../kernel/records.ts'
import type { GrantAhead } from './change-grant.ts'
import type { IssuedTokens } from './grant.ts'

/** One value of `grant_type` at the token endpoint (RFC 6749 4.5). */
export interface GrantType {
  readonly name: string
  /** The parameters of its request, beside those that name and prove the client. */
  readonly message: z.ZodType
  /** The parameter whose value names a grant, which is then read while the client is. */
  readonly credential?: string | undefined
  /** Whether a client that registers itself may have it. Default: only an integration may. */
  readonly selfRegistered?: boolean | undefined
  /**
   * Answers a token request of a client that proved who it is and has this grant type.
   *
   * @param requireAnswerable to be called inside the transition: an answer that cannot be given costs nobody a code
   * @param ahead the grant that the credential names, being read
   * @throws OAuthError before anything is consumed, or for what is consumed by its rule
   */
  exchange(
    client: Client,
    form: Parameters,
    requireAnswerable: RequireAnswerable,
    ahead?: GrantAhead,
  ): Promise<Exchanged>
}

/** @throws OAuthError `temporarily_unavailable` when an answer for this grant could not be made now */
export type RequireAnswerable = (client: Client, grant: Grant) => void

/** What an exchange brought. The token endpoint makes the answer. */
export interface Exchanged {
  readonly grant: Grant
  readonly issued: IssuedTokens
  /** The `nonce` of the authorization request, for the first ID token of a grant and no other (OpenID Connect Core 12.2). */
  readonly nonce?: string | undefined
}
