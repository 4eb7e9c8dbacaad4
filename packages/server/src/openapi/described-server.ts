import type { ScopeDefinition } from '@grantkit/core'
import type { ServerDescription } from '@grantkit/core/internal'
import type { KnownClient } from '@grantkit/known-clients'
import type { RouteConfig } from '@hono/zod-openapi'

/** The authorization server that the document describes. */
export interface DescribedServer {
  readonly baseUrl: string
  readonly scopes: Readonly<Record<string, ScopeDefinition>>
  /** The indicators of its resources, next to the base URL. */
  readonly resources: readonly string[]
  /** Whether DPoP is on. */
  readonly bindsTokens: boolean
  /** Whether registration needs an initial access token. */
  readonly registersWithToken: boolean
  /** The known clients that may register their own redirect URIs. */
  readonly known: readonly KnownClient[]
  readonly mounted: ServerDescription
}

/** What core does not say of its endpoints, by method and path. */
export type Operations = Readonly<Record<string, Omit<Partial<RouteConfig>, 'method' | 'path'>>>
