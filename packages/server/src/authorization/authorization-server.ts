import {
  type AuthorizationServer,
  createAuthorizationServer,
  type ScopeDefinition,
  type TokenClaims,
  type TokenClaimsRequest,
  type UserClaims,
} from '@grantkit/core'
import type { DescribedResource } from '@grantkit/core/internal'
import { signInAttempts } from '@grantkit/explain'
import type { Accounts } from '../accounts/accounts.ts'
import { AUTHENTICATION_CLASSES } from '../config/authentication-classes.ts'
import type { Config } from '../config/config.ts'
import type { ServiceDefinition } from '../definition.ts'
import { rateLimiter } from '../limits/rate-limiter.ts'
import type { ServiceContext } from '../service-context.ts'
import { type Authentication, knownClientsOf, optionalFeatures, profileOf } from './optional-features.ts'

/** The authorization server that the configuration describes. @throws Error when a configured file cannot be used */
export async function authorizationServer(
  { config, definition, storage, keys, delivers, onEvent }: ServiceContext,
  authentication: Authentication,
): Promise<AuthorizationServer> {
  const { baseUrl: issuer, features } = config
  const { store, createCounter } = storage
  const optional = await optionalFeatures(config, authentication, delivers)
  const profile = await profileOf(config)
  return createAuthorizationServer({
    issuer,
    store,
    scopes: authentication.scopes,
    interaction: authentication.interaction,
    callbackPage: features.pastedCallbacks ? authentication.site.ui.callbackPage : undefined,
    secret: authentication.secret,
    keys,
    claims: authentication.accounts.claims,
    idTokenClaims: features.idTokenClaims,
    tokenClaims: tokenClaimsOf(config, authentication.accounts, definition),
    resources: [
      ...[issuer, ...describedResources(config)],
      ...(config.admin.api ? [describedAdminResource(issuer)] : []),
    ],
    clientAuthentication: features.clientAuthentication.filter((name) => name !== 'private_key_jwt'),
    registration:
      features.registration && features.initialAccessTokens
        ? { initialAccessToken: true }
        : features.registration,
    ...knownClientsOf(config),
    lifetimes: config.lifetimes,
    refreshTokenExpiration: features.refreshTokenExpiration,
    rateLimiter: rateLimiter(createCounter),
    observer: config.explain ? signInAttempts : undefined,
    onEvent,
    documentation: config.documentation,
    defaultScope: config.defaultScope,
    profile,
    stepUp: features.stepUp ? { classes: AUTHENTICATION_CLASSES } : undefined,
    features: [...optional, ...(definition.features?.(config) ?? [])],
  })
}

/** The APIs and MCP servers of the operator, with what their metadata says of them. */
function describedResources({ resources }: Config) {
  return Object.entries(resources).map(([resource, { name, scopes, dpop }]) => {
    return { resource, name, scopes, dpop }
  })
}

/** The claims of access tokens: those of the user that `resources` configures, and those of the definition. */
function tokenClaimsOf(
  { resources }: Pick<Config, 'resources'>,
  accounts: Pick<Accounts, 'claims'>,
  { tokenClaims: own }: Pick<ServiceDefinition, 'tokenClaims'>,
): TokenClaims | undefined {
  const byResource = new Map(
    Object.entries(resources).map(([resource, { claims = [] }]) => [canonical(resource), claims]),
  )
  if (![...byResource.values()].some(({ length }) => length > 0)) return own
  return async (request) => {
    const names = namesFor(byResource, request)
    const user = names.length === 0 ? undefined : await accounts.claims(String(request.subject))
    return { ...partOf(user, names), ...(await own?.(request)) }
  }
}

/** A token for several APIs has only what each of them may see: every one gets the whole token. */
function namesFor(
  byResource: ReadonlyMap<string, readonly string[]>,
  { use, subject, resources }: TokenClaimsRequest,
): readonly string[] {
  const isOfToken = use === 'access_token' || use === 'introspection'
  if (!isOfToken || subject === undefined) return []
  const [first = [], ...others] = resources.map((resource) => byResource.get(resource) ?? [])
  return first.filter((name) => others.every((names) => names.includes(name)))
}

function partOf(user: UserClaims | undefined, names: readonly string[]): UserClaims {
  if (user === undefined) return {}
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(user, name)).map((name) => [name, user[name]]),
  )
}

/** As core has it: an origin is the same with and without a slash. */
function canonical(resource: string): string {
  return /^https?:\/\/[^/?#]+\/$/.test(resource) ? resource.slice(0, -1) : resource
}

/** An assertion gives none of them: an admin signs in here, at the strength that is required here. */
const ONLY_BY_NAME = { restricted: true, interactive: true } as const

/**
 * The scopes of the admin API. They exist only where it is enabled, and only for clients that name them: the consent of one
 * admin must not give a client of the catalogue more than its operator did.
 */
export const ADMIN_SCOPES = {
  'admin:read': {
    description: 'See every user, every client and the audit trail',
    area: 'Administration',
    access: 'read',
    ...ONLY_BY_NAME,
  },
  'admin:write': {
    description: 'Change and remove every user and every client',
    area: 'Administration',
    access: 'write',
    ...ONLY_BY_NAME,
  },
} as const satisfies Readonly<Record<string, ScopeDefinition>>

export type AdminScope = keyof typeof ADMIN_SCOPES

/** The indicator of the admin API (RFC 8707): tokens must be for it. */
export function adminResource(issuer: string): string {
  return `${issuer}/admin/api`
}

/** What its protected-resource metadata says (RFC 9728). */
function describedAdminResource(issuer: string): DescribedResource<AdminScope> {
  const scopes = Object.keys(ADMIN_SCOPES) as AdminScope[]
  return { resource: adminResource(issuer), name: 'Admin API', scopes }
}
