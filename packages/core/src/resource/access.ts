/** What a guard decides about a request. */

import type { CorsHeaders } from '../http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '../http/http.ts'
import type { Actor } from '../kernel/records.ts'
import type { UserClaims } from '../kernel/user-claims.ts'
import type { ProofHeaders } from '../tokens/proof-of-possession.ts'

/** A valid access token, as the guard found it. */
export interface AccessToken {
  readonly grantId: string
  /** Only a client-credentials token has it. */
  readonly by?: undefined
  readonly subject: string
  /** The client that holds the token. */
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The resources it is bound to; empty means every resource of its server. */
  readonly resources: readonly string[]
  /** Epoch seconds. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** Who acts for the user, if the token was exchanged for another (RFC 8693 4.1). */
  readonly act?: Actor | undefined
  /** The thumbprint of the key that it is bound to, and that the request proved. Absent for a bearer token. */
  readonly jkt?: string | undefined
  /** Claims of the option `tokenClaims`, in a JWT access token. A guard with the store has none: it asks nobody. */
  readonly claims?: UserClaims | undefined
}

/**
 * A client-credentials token (RFC 6749 4.4). It has no user: code that took the client for one would let it act as the user of
 * that name (RFC 9700 4.15).
 */
export interface ClientCredentialsToken extends Omit<AccessToken, 'by' | 'subject'> {
  readonly by: 'client'
  readonly subject: undefined
}

export interface Authorized {
  readonly kind: 'authorized'
  readonly token: AccessToken
  /** Headers for the answer to the request, such as a newer nonce. `protect()` of an adapter sets them. */
  readonly headers?: ProofHeaders | undefined
}

/** A client without a user, on a route with `clientCredentials: true`. */
export interface AuthorizedClient {
  readonly kind: 'authorized'
  readonly token: ClientCredentialsToken
  readonly headers?: ProofHeaders | undefined
}

/** A request without a token, where the guard allows that. */
export interface Anonymous {
  readonly kind: 'anonymous'
}

/** The caller that a guard accepted. */
export type Caller = Authorized | AuthorizedClient | Anonymous

export interface Refused {
  readonly kind: 'refused'
  /** The answer to send. */
  readonly response: HttpResponse
}

/** The guard's decision about a request. */
export type Access<Auth extends Caller = Authorized> = Auth | Refused

export interface ResourceServer<Scope extends string, Auth extends Caller = Authorized> {
  /** The URL of the metadata that names the authorization server (RFC 9728 3). */
  readonly metadataUrl: string
  /** The headers of proofs and of references that the CORS of the API must allow and expose. Absent without both. */
  readonly corsHeaders?: CorsHeaders | undefined
  /**
   * Decides on a request. No token or a bad one is refused with 401, a missing scope with 403. If anonymous requests
   * are allowed, no token means anonymous. Never rejects; a store outage is a 503.
   */
  access(request: HttpRequest, ...scopes: NoInfer<Scope>[]): Promise<Access<Auth>>
  /**
   * This guard for a route that accepts client-credentials tokens too: `protect(api.allowing({ clientCredentials: true }),
   * 'notes:write')`. Every other route refuses them with 403, because they have no user.
   */
  allowing(callers: { readonly clientCredentials: true }): ResourceServer<Scope, Auth | AuthorizedClient>
}

/**
 * What the SDK of MCP, in either version, calls `AuthInfo`: for `authInfo` of its handlers, or `req.auth`. It holds no
 * token, because tools need none; the user is in `extra`.
 *
 * @param resource the resource that the guard guards
 *
 * @example
 * ```ts
 * import { type AccessToken, toAuthInfo } from '@grantkit/core'
 *
 * // `authInfo` for the handler of an MCP server.
 * export const authInfoOf = (token: AccessToken) => toAuthInfo(token, 'https://notes.example/mcp')
 * ```
 */
export function toAuthInfo(
  { clientId, scopes, expiresAt, subject }: AccessToken,
  resource: string,
): {
  token: string
  clientId: string
  scopes: string[]
  expiresAt: number
  /** Written down: the compiler would name it by a module of Node, which projects for Workers have no types of. */
  resource: URL
  extra: { subject: string }
} {
  return {
    token: '',
    clientId,
    scopes: [...scopes],
    expiresAt,
    resource: new URL(resource),
    extra: { subject },
  }
}
