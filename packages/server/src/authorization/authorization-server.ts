import { type AuthorizationServer, createAuthorizationServer } from '@grantkit/core'
import { signInAttempts } from '@grantkit/explain'
import { rateLimiter } from '@grantkit/limiter'
import { describedAdminResource } from '../admin-api/scopes.ts'
import type { Config } from '../config/config.ts'
import { interaction, type PagesOptions } from '../pages/routes.ts'
import type { ServiceContext } from '../service-context.ts'
import { knownClientsOf } from './known-clients.ts'
import { optionalFeatures, profileOf } from './optional-features.ts'
import { tokenClaimsOf } from './token-claims.ts'

/** The authorization server that the configuration describes. @throws Error when a configured file cannot be used */
export async function authorizationServer(
  { config, definition, storage, keys, delivers, onEvent }: ServiceContext,
  pages: PagesOptions,
): Promise<AuthorizationServer> {
  const { baseUrl: issuer, features } = config
  const { store, createCounter } = storage
  const optional = await optionalFeatures(config, pages, delivers)
  const profile = await profileOf(config)
  return createAuthorizationServer({
    issuer,
    store,
    scopes: pages.scopes,
    interaction: interaction(pages),
    callbackPage: features.pastedCallbacks ? pages.site.ui.callbackPage : undefined,
    secret: pages.secret,
    keys,
    claims: pages.accounts.claims,
    idTokenClaims: features.idTokenClaims,
    tokenClaims: tokenClaimsOf(config, pages.accounts, definition),
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
    rateLimiter: rateLimiter(createCounter),
    observer: config.explain ? signInAttempts : undefined,
    onEvent,
    documentation: config.documentation,
    defaultScope: config.defaultScope,
    profile,
    features: [...optional, ...(definition.features?.(config) ?? [])],
  })
}

/** The APIs and MCP servers of the operator, with what their metadata says of them. */
function describedResources({ resources }: Config) {
  return Object.entries(resources).map(([resource, { name, scopes, dpop }]) => {
    return { resource, name, scopes, dpop }
  })
}
