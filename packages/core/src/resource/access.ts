/** What a guard decides about a request. */

import type { HttpResponse } from '../http/http.ts'
import type { Actor } from '../kernel/records.ts'
import type { ProofHeaders } from '../tokens/proof-of-possession.ts'

/** A valid access token, as the guard found it. */
export interface AccessToken {
  readonly grantId: string
  /** Only a machine token has it. */
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
  /** The thumbprint of the key that it is bound to, and that the request proved. Absent: whoever holds it may use it. */
  readonly jkt?: string | undefined
}

/**
 * The token of a client that acts for itself (RFC 6749 4.4). It has no user: code that takes the client for one would give
 * it what belongs to a user of that name (RFC 9700 4.15).
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

/** A machine, on a route that says `clientCredentials: true`. */
export interface AuthorizedClient {
  readonly kind: 'authorized'
  readonly token: ClientCredentialsToken
  readonly headers?: ProofHeaders | undefined
}

/** A request without a token that the guard lets through. */
export interface Anonymous {
  readonly kind: 'anonymous'
}

/** Whom a guard lets through. */
export type Caller = Authorized | AuthorizedClient | Anonymous

export interface Refused {
  readonly kind: 'refused'
  /** The answer to send. */
  readonly response: HttpResponse
}

/** The guard's decision about a request. */
export type Access<Auth extends Caller = Authorized> = Auth | Refused

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
export function toAuthInfo({ clientId, scopes, expiresAt, subject }: AccessToken, resource: string) {
  return {
    token: '',
    clientId,
    scopes: [...scopes],
    expiresAt,
    resource: new URL(resource),
    extra: { subject },
  }
}
