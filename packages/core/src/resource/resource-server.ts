import type { CorsHeaders } from '../http/endpoint.ts'
import type { HttpRequest } from '../http/http.ts'
import { wellKnownAddress } from '../http/well-known.ts'
import { type Emit, type RequestEvent, shielded } from '../kernel/events.ts'
import { systemClock } from '../kernel/kernel.ts'
import { checkedResource } from '../kernel/resource-indicator.ts'
import type { ScopeCatalogue } from '../kernel/scope.ts'
import { type Store, storeErrorsAs503, type Transients } from '../kernel/store.ts'
import { type AccessTokenFormat, opaqueAccessTokens } from '../tokens/credential.ts'
import type { ProofOfPossession } from '../tokens/proof-of-possession.ts'
import type { Access, Anonymous, Authorized, AuthorizedClient, Caller } from './access.ts'
import { accessOf, type GuardedResource } from './guard.ts'

export interface ResourceServerOptions<Scope extends string> {
  /** The resource indicator of this API (RFC 8707): the `aud` that tokens bound to it carry. */
  readonly resource: string
  /** The store of the authorization server. */
  readonly store: Store
  /** The scope catalogue; it types the scopes of the routes. */
  readonly scopes: ScopeCatalogue<Scope>
  /** Lets requests without a token through as anonymous. Default: they get a 401. */
  readonly anonymous?: 'allow' | undefined
  /** The URL of the protected-resource metadata (RFC 9728 3). Default: its well-known address. */
  readonly metadataUrl?: string | undefined
  /** The access token format of the authorization server. Default: opaque tokens. */
  readonly accessTokens?: AccessTokenFormat | undefined
  /** Takes access tokens that are bound to a key: `dpopProofs` (RFC 9449 7). Default: they are refused. */
  readonly proofs?: ProofsOfResource | undefined
  readonly onEvent?: ((event: RequestEvent) => void) | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
}

/** Makes the check of proofs at one API, when its guard is created. @throws Error that names the option at fault */
export type ProofsOfResource = (guarded: ProvenResource) => ProofOfPossession

/** The API whose requests carry proofs. */
export interface ProvenResource {
  readonly resource: string
  readonly transients?: Transients | undefined
  /** Epoch seconds. */
  readonly now: () => number
}

export interface ResourceServer<Scope extends string, Auth extends Caller = Authorized> {
  /** The URL of the metadata that names the authorization server (RFC 9728 3). */
  readonly metadataUrl: string
  /** What the CORS of the API must let scripts send and read for proofs. Absent if it takes none. */
  readonly corsHeaders?: CorsHeaders | undefined
  /**
   * Decides on a request. No token or a bad one is refused with 401, a missing scope with 403. If anonymous requests
   * are allowed, no token means anonymous. Never rejects; a store outage is a 503.
   */
  access(request: HttpRequest, ...scopes: NoInfer<Scope>[]): Promise<Access<Auth>>
  /**
   * This guard for a route that takes machine tokens too: `protect(api.allowing({ clientCredentials: true }), 'notes:write')`. Every
   * other route refuses them with 403, because they have no user.
   */
  allowing(callers: { readonly clientCredentials: true }): ResourceServer<Scope, Auth | AuthorizedClient>
}

/**
 * Guards an API with the store of the authorization server.
 *
 * @throws Error for a bad option
 *
 * @example
 * ```ts with:server
 * import { createResourceServer } from '@grantkit/core'
 *
 * const notes = createResourceServer({ resource: 'https://api.example', store, scopes })
 * ```
 */
export function createResourceServer<Scope extends string>(
  options: ResourceServerOptions<Scope> & { readonly anonymous: 'allow' },
): ResourceServer<Scope, Authorized | Anonymous>
export function createResourceServer<Scope extends string>(
  options: ResourceServerOptions<Scope> & { readonly anonymous?: undefined },
): ResourceServer<Scope>
export function createResourceServer<Scope extends string>(
  options: ResourceServerOptions<Scope>,
): ResourceServer<Scope, Authorized | Anonymous>
export function createResourceServer<Scope extends string>(
  options: ResourceServerOptions<Scope>,
): ResourceServer<Scope, Authorized | Anonymous> {
  const guard = guardedResource(options)
  return resourceServer(guard, (request, required, clientCredentials) =>
    accessOf(guard, request, required, clientCredentials),
  )
}

/** Decides on a request. @param clientCredentials whether a token without a user is accepted */
type Decision = (
  request: HttpRequest,
  required: readonly string[],
  clientCredentials: boolean,
) => Promise<Access<Caller>>

/** The guard of an API, however it reads tokens. */
export function resourceServer<Scope extends string, Auth extends Caller>(
  guard: Pick<GuardedResource, 'metadataUrl' | 'proofs'>,
  decision: Decision,
  clientCredentials = false,
): ResourceServer<Scope, Auth> {
  return {
    metadataUrl: guard.metadataUrl,
    corsHeaders: guard.proofs?.corsHeaders,
    access: (request, ...scopes) => decision(request, scopes, clientCredentials) as Promise<Access<Auth>>,
    allowing: (callers) => resourceServer(guard, decision, callers.clientCredentials),
  }
}

function guardedResource(options: ResourceServerOptions<string>): GuardedResource {
  const { grants, transients } = storeErrorsAs503(options.store)
  const resource = checkedResource('resource', options.resource)
  const now = options.now ?? systemClock
  return {
    grants,
    resource,
    metadataUrl: options.metadataUrl ?? wellKnownAddress('oauth-protected-resource', options.resource),
    anonymous: options.anonymous ?? 'refuse',
    accessTokens: options.accessTokens ?? opaqueAccessTokens,
    proofs: options.proofs?.({ resource, transients, now }),
    now,
    // A guard emits only events about requests.
    emit: shielded(options.onEvent as Emit | undefined),
  }
}
