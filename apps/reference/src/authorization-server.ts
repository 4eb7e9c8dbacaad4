import {
  type AuthorizationServer,
  createAuthorizationServer,
  type Feature,
  loopbackOnly,
  type PrivateJwk,
} from '@grantkit/core'
import { rateLimiter } from '@grantkit/limiter'
import { viewerClient } from './documents/viewer-client.ts'
import type { OnEvent } from './events.ts'
import { SCOPES } from './oauth/scopes.ts'
import { optionalFeatures, profileOf } from './optional-features.ts'
import { interaction, type PagesOptions } from './pages/routes.ts'
import { lifetimesOf } from './settings/lifetimes.ts'
import type { Settings } from './settings/settings.ts'
import type { Storage } from './storage.ts'

interface Parts extends Pick<Storage, 'store' | 'createCounter'> {
  readonly pages: PagesOptions
  readonly keys: () => readonly PrivateJwk[]
  readonly features: readonly Feature[]
  readonly onEvent: OnEvent
}

/**
 * The authorization server of the service, as its settings configure it. @throws Error when a configured file cannot be
 * used
 */
export async function authorizationServer(
  settings: Settings,
  { store, keys, pages, createCounter, features, onEvent }: Parts,
): Promise<AuthorizationServer> {
  const { BASE_URL: issuer, DEFAULT_SCOPE, CLIENT_AUTHENTICATION: methods } = settings
  const optional = await optionalFeatures(settings, pages)
  const profile = await profileOf(settings)
  return createAuthorizationServer({
    issuer,
    store,
    scopes: SCOPES,
    interaction: interaction(pages),
    callbackPage: settings.PASTED_CALLBACKS === 'on' ? pages.site.ui.callbackPage : undefined,
    secret: pages.secret,
    keys,
    claims: pages.accounts.claims,
    idTokenClaims: settings.ID_TOKEN_CLAIMS === 'on',
    resources: [issuer, `${issuer}/mcp`],
    clientAuthentication: methods.filter((name) => name !== 'private_key_jwt'),
    registration: settings.REGISTRATION === 'on',
    // A client that also runs on a website needs an integration.
    redirectUriPolicy: loopbackOnly({ mixed: 'refuse' }),
    lifetimes: lifetimesOf(settings),
    rateLimiter: rateLimiter(createCounter),
    onEvent,
    documentation: `${issuer}/auth.md`,
    defaultScope: DEFAULT_SCOPE,
    profile,
    // The page at /docs is a public client.
    features: [...(profile === undefined ? [viewerClient(issuer)] : []), ...optional, ...features],
  })
}
