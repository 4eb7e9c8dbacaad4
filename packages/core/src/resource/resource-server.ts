import type { HttpRequest } from '../http/http.ts'
import { wellKnownAddress } from '../http/well-known.ts'
import type { Emit, RequestEvent } from '../kernel/events.ts'
import { systemClock } from '../kernel/kernel.ts'
import { checkedResource } from '../kernel/resource-indicator.ts'
import type { ScopeCatalogue } from '../kernel/scope.ts'
import type { Store } from '../kernel/store.ts'
import { storeErrorsAs503 } from '../kernel/store-errors-as-503.ts'
import { type AccessTokenFormat, opaqueAccessTokens } from '../tokens/access-token.ts'
import { type Access, type Anonymous, type Authorized, accessOf, type GuardedResource } from './guard.ts'

export interface ResourceServerOptions<Scope extends string> {
  /** The resource indicator of this API (RFC 8707): the `aud` that tokens bound to it carry. */
  readonly resource: string
  /** The store of the authorization server. */
  readonly store: Store
  /** The catalogue types the scopes that routes can ask for. */
  readonly scopes: ScopeCatalogue<Scope>
  /** Lets a request without a token through as anonymous. Default: it is refused with a 401. */
  readonly anonymous?: 'allow' | undefined
  /** Where the protected-resource metadata is (RFC 9728 3). Default: its well-known address. */
  readonly metadataUrl?: string | undefined
  /** The access tokens of the authorization server, where it has other ones. Default: opaque tokens. */
  readonly accessTokens?: AccessTokenFormat | undefined
  readonly onEvent?: ((event: RequestEvent) => void) | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
}

export interface ResourceServer<Scope extends string, Auth extends Authorized | Anonymous = Authorized> {
  /** Where clients learn which authorization server issues its tokens (RFC 9728 3). */
  readonly metadataUrl: string
  /**
   * Decides on a request: one without a token or with a bad one is refused with 401, one that lacks any of `scopes`
   * with 403. Where anonymous requests are allowed, no token is anonymous. Never rejects; a store that is down is a 503.
   */
  access(request: HttpRequest, ...scopes: NoInfer<Scope>[]): Promise<Access<Auth>>
}

/** Guards an API whose tokens the authorization server of the same store issued. @throws Error for a bad option */
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
  return {
    metadataUrl: guard.metadataUrl,
    access: (request, ...scopes) => accessOf(guard, request, scopes),
  }
}

function guardedResource(options: ResourceServerOptions<string>): GuardedResource {
  return {
    grants: storeErrorsAs503(options.store).grants,
    resource: checkedResource('resource', options.resource),
    metadataUrl: options.metadataUrl ?? wellKnownAddress('oauth-protected-resource', options.resource),
    anonymous: options.anonymous ?? 'refuse',
    accessTokens: options.accessTokens ?? opaqueAccessTokens,
    now: options.now ?? systemClock,
    // What a guard says of a request is all that it ever tells.
    emit: (options.onEvent ?? (() => {})) as Emit,
  }
}
