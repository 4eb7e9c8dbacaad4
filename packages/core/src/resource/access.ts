import type { Workload } from '../grants/grant.ts'
import type { CorsHeaders } from '../http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '../http/http.ts'
import type { UserClaims } from '../kernel/kernel.ts'
import type { Actor, Terms } from '../kernel/records.ts'
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
  /** Time of the user's sign-in, in epoch seconds. A refresh or an exchange of the token does not change it. */
  readonly authTime?: number | undefined
  /** The class of that sign-in, if the authorization server has `stepUp` (RFC 9470 6). */
  readonly acr?: string | undefined
  /** It is a personal access token: the user made it for a program. Only on a route with `personalTokens: true`. */
  readonly personal?: true | undefined
  /** Who acts for the user, if the token was exchanged for another (RFC 8693 4.1). */
  readonly act?: Actor | undefined
  /** The thumbprint of the key that it is bound to, and that the request proved. Absent for a bearer token. */
  readonly jkt?: string | undefined
  /**
   * Claims in a JWT access token of the option `tokenClaims`, and of what the user decided beside the scopes. A guard with the
   * store has the latter alone.
   */
  readonly claims?: UserClaims | undefined
  /** What the user decided beside the scopes, by names of terms. Only a guard with the store has it. */
  readonly terms?: Terms | undefined
  /** Of the metadata of the resource at hand (RFC 9728 3), where one guard has several: a family, or those of `issuers`. */
  readonly metadataUrl?: string | undefined
}

/**
 * A client-credentials token (RFC 6749 4.4). It has no user: code that took the client for one would let it act as the user of
 * that name (RFC 9700 4.15).
 */
export interface ClientCredentialsToken extends Omit<AccessToken, 'by' | 'subject' | 'personal'> {
  readonly by: 'client'
  readonly subject: undefined
  /** The program that its platform identified, as the platform says (`jwtBearer`). Absent for other clients, and in a JWT. */
  readonly workload?: Workload | undefined
  readonly personal?: undefined
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
   * 'notes:write')`. Every other route refuses them with 403, because they have no user. `personalTokens: true` accepts personal
   * access tokens, which a program uses without its user; every other route refuses them with 403 too.
   */
  allowing(callers: {
    readonly clientCredentials: true
    readonly personalTokens?: true | undefined
  }): ResourceServer<Scope, Auth | AuthorizedClient>
  allowing(callers: {
    readonly clientCredentials?: undefined
    readonly personalTokens: true
  }): ResourceServer<Scope, Auth>
  /**
   * This guard for a route that needs a stronger or a more recent sign-in of the user (RFC 9470): `protect(api.requiring({ acr:
   * 'phr', maxAge: 300 }), 'payments:write')`. Other tokens get a 401 `insufficient_user_authentication`, and so do
   * client-credentials and personal access tokens. Demand it on single routes: a client that does not know this error may repeat
   * its request for ever.
   *
   * @throws Error for a class that is not in `authenticationClasses` of the guard, and for a bad age
   */
  requiring(signIn: RequiredSignIn): ResourceServer<Scope, Auth>
}

/** The sign-in that a route requires. At least one member. */
export interface RequiredSignIn {
  /** The weakest class that is enough. */
  readonly acr?: string | undefined
  /** The maximum age of the sign-in, in whole seconds from 1. */
  readonly maxAge?: number | undefined
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

/** For refusals after a guard of several resources. @param metadataUrl of the one that the request was for */
export function accessAt<Auth extends Caller>(access: Access<Auth>, metadataUrl: string): Access<Auth> {
  if (access.kind !== 'authorized' || access.token.metadataUrl !== undefined) return access
  return { ...access, token: { ...access.token, metadataUrl } }
}
