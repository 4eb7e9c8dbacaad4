import { type Access, accessOf, type GuardedResource } from './access.ts'
import type { OnEvent } from './events.ts'
import type { HttpRequest } from './http.ts'
import { systemClock } from './options.ts'
import { wellKnownAddress } from './paths.ts'
import { reachableStore } from './reachable-store.ts'
import { canonicalResource } from './rules/resource-indicator.ts'
import type { ScopeCatalogue } from './rules/scope.ts'
import type { Store } from './store.ts'

export interface ResourceServerOptions<Scope extends string> {
  /** The resource indicator of this API (RFC 8707): the `aud` that tokens bound to it carry. */
  readonly resource: string
  /** The store of the authorization server. */
  readonly store: Store
  /** The catalogue types the scopes that routes can ask for. */
  readonly scopes: ScopeCatalogue<Scope>
  /** Whether a request without a token is served as anonymous or challenged with a 401. Default `allow`. */
  readonly anonymous?: 'allow' | 'challenge'
  /** Where the protected-resource metadata is (RFC 9728 3). Default: its well-known address. */
  readonly metadataUrl?: string
  readonly onEvent?: OnEvent
  /** The clock, in epoch seconds. */
  readonly now?: () => number
}

export interface ResourceServer<Scope extends string> {
  /** Where clients learn which authorization server issues its tokens (RFC 9728 3). */
  readonly metadataUrl: string
  /**
   * Decides on a request: no token is anonymous, a bad one is refused with 401, one that lacks any of `scopes`
   * with 403. Never rejects; a store that is down is a 503.
   */
  access(request: HttpRequest, ...scopes: NoInfer<Scope>[]): Promise<Access>
}

/** Guards an API whose tokens the authorization server of the same store issued. @throws Error for a bad option */
export function createResourceServer<Scope extends string>(
  options: ResourceServerOptions<Scope>,
): ResourceServer<Scope> {
  if (!URL.canParse(options.resource)) throw new Error('resource must be an absolute URL')
  const guard: GuardedResource = {
    grants: reachableStore(options.store).grants,
    resource: canonicalResource(options.resource),
    metadataUrl: options.metadataUrl ?? wellKnownAddress('oauth-protected-resource', options.resource),
    anonymous: options.anonymous ?? 'allow',
    now: options.now ?? systemClock,
    onEvent: options.onEvent ?? (() => {}),
  }
  return {
    metadataUrl: guard.metadataUrl,
    access: (request, ...scopes) => accessOf(guard, request, scopes),
  }
}
