import {
  type AccessTokenFormat,
  type AuthorizationServer,
  clientDocuments,
  createAuthorizationServer,
  type FeatureFactory,
  loopbackOnly,
  type PrivateJwk,
  type RateLimiter,
} from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { device } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { logout } from '@grantkit/core/logout'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { rateLimiter } from '@grantkit/limiter'
import { viewerClient } from './documents/viewer-client.ts'
import type { OnEvent } from './events.ts'
import { clientDocumentsOf, outboundFetch } from './oauth/client-documents.ts'
import { dpopOf } from './oauth/dpop.ts'
import { SCOPES } from './oauth/scopes.ts'
import { callbackPage } from './pages/callback.ts'
import { logoutInteraction } from './pages/client-logout.ts'
import { deviceInteraction } from './pages/device.ts'
import { interaction, type PagesOptions } from './pages/routes.ts'
import type { Settings } from './settings/settings.ts'
import type { Storage } from './storage.ts'

interface Parts extends Pick<Storage, 'store' | 'createCounter'> {
  readonly pages: PagesOptions
  readonly accessTokens: AccessTokenFormat
  readonly keys: () => readonly PrivateJwk[]
  readonly features: readonly FeatureFactory[]
  readonly onEvent: OnEvent
}

/** The OAuth half of the service, with what its settings ask for. @throws Error when a configured file cannot be used */
export async function authorizationServer(
  settings: Settings,
  { store, keys, accessTokens, pages, createCounter, features, onEvent }: Parts,
): Promise<AuthorizationServer> {
  const { BASE_URL: issuer, DEFAULT_SCOPE, CLIENT_AUTHENTICATION: methods } = settings
  const documents = await clientDocumentsOf(settings)
  const limiter = rateLimiter(createCounter)
  const optional = [
    ...(documents === undefined ? [] : [clientDocuments(documents)]),
    ...(methods.includes('private_key_jwt')
      ? [clientAssertion({ fetch: await outboundFetch(settings) })]
      : []),
    ...(settings.CLIENT_CREDENTIALS === 'on'
      ? [
          clientCredentials({
            accessToken: settings.ACCESS_TOKEN_LIFETIME,
            accessTokens,
            rateLimiter: limiter,
          }),
        ]
      : []),
    ...(settings.DPOP === 'off' ? [] : [dpop(dpopOf(settings.DPOP, pages.secret))]),
    ...(settings.FORWARD_AUTH === 'on' ? [forwardAuth({ accessTokens })] : []),
    ...(settings.TOKEN_EXCHANGE === 'on' ? [tokenExchange({ accessTokens })] : []),
    ...(settings.PAR === 'off'
      ? []
      : [pushedAuthorizationRequests({ secret: pages.secret, required: settings.PAR === 'required' })]),
    ...(settings.LOGOUT === 'on'
      ? [logout({ interaction: logoutInteraction(pages), secret: pages.secret, keys })]
      : []),
    ...deviceGrant(settings, pages, limiter),
  ]
  return createAuthorizationServer({
    issuer,
    store,
    scopes: SCOPES,
    interaction: interaction(pages),
    callbackPage: settings.PASTED_CALLBACKS === 'on' ? (view) => callbackPage(pages.site, view) : undefined,
    secret: pages.secret,
    keys,
    claims: pages.accounts.claims,
    idTokenClaims: settings.ID_TOKEN_CLAIMS === 'on',
    resources: [issuer, `${issuer}/mcp`],
    clientAuthentication: methods.filter((name) => name !== 'private_key_jwt'),
    registration: settings.REGISTRATION === 'on',
    // A client that is on a website as well needs an integration.
    redirectUriPolicy: loopbackOnly({ mixed: 'refuse' }),
    lifetimes: lifetimesOf(settings),
    rateLimiter: limiter,
    onEvent,
    documentation: `${issuer}/auth.md`,
    defaultScope: DEFAULT_SCOPE,
    features: [viewerClient(issuer), ...optional, ...features],
  })
}

function deviceGrant(settings: Settings, pages: PagesOptions, limiter: RateLimiter): FeatureFactory[] {
  if (settings.DEVICE_GRANT === 'off') return []
  const feature = device({
    interaction: deviceInteraction(pages),
    secret: pages.secret,
    rateLimiter: limiter,
    selfRegistered: settings.DEVICE_GRANT === 'all',
    defaultScope: settings.DEFAULT_SCOPE,
    lifetimes: lifetimesOf(settings),
  })
  return [feature]
}

export function lifetimesOf(settings: Settings) {
  return {
    code: settings.CODE_LIFETIME,
    accessToken: settings.ACCESS_TOKEN_LIFETIME,
    refreshToken: settings.REFRESH_TOKEN_LIFETIME,
    grant: settings.GRANT_LIFETIME,
    refreshRetryWindow: settings.REFRESH_RETRY_WINDOW,
  }
}
