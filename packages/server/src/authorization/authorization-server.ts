import { type AuthorizationServer, createAuthorizationServer } from '@grantkit/core'
import { signInAttempts } from '@grantkit/explain'
import { AUTHENTICATION_CLASSES } from '../config/authentication-classes.ts'
import type { Config } from '../config/config.ts'
import { rateLimiter } from '../limits/rate-limiter.ts'
import type { ServiceContext } from '../service-context.ts'
import { describedAdminResource } from './admin-scopes.ts'
import type { Authentication } from './authentication.ts'
import { knownClientsOf } from './known-clients.ts'
import { optionalFeatures, profileOf } from './optional-features.ts'
import { tokenClaimsOf } from './token-claims.ts'

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
