import type { AccessTokenFormat, Feature, PrivateJwk, Profile, RateLimiter } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { clientDocuments } from '@grantkit/core/client-documents'
import { device } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { fapi2 } from '@grantkit/core/fapi2'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { logout } from '@grantkit/core/logout'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { clientDocumentsOf, outboundFetch } from './oauth/client-documents.ts'
import { dpopOf } from './oauth/dpop.ts'
import { gatewayOf } from './oauth/gateway.ts'
import { logoutInteraction } from './pages/client-logout.ts'
import { deviceInteraction } from './pages/device.ts'
import type { PagesOptions } from './pages/routes.ts'
import { lifetimesOf } from './settings/lifetimes.ts'
import type { Settings } from './settings/settings.ts'

interface Parts {
  readonly pages: PagesOptions
  readonly accessTokens: AccessTokenFormat
  readonly keys: () => readonly PrivateJwk[]
  readonly limiter: RateLimiter
}

/** The features of core that settings ask for, in the order of the metadata. */
export async function optionalFeatures(
  settings: Settings,
  { keys, accessTokens, pages, limiter }: Parts,
): Promise<Feature[]> {
  const documents = await clientDocumentsOf(settings)
  const { CLIENT_AUTHENTICATION, DPOP, PAR } = settings.PROFILE === undefined ? settings : OF_PROFILE
  return [
    ...(documents === undefined ? [] : [clientDocuments(documents)]),
    ...(CLIENT_AUTHENTICATION.includes('private_key_jwt')
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
    ...(DPOP === 'off' ? [] : [dpop(dpopOf(settings, pages.secret))]),
    ...(settings.FORWARD_AUTH === 'on' ? [forwardAuth(gatewayOf(settings, pages.secret, accessTokens))] : []),
    ...(settings.TOKEN_EXCHANGE === 'on' ? [tokenExchange({ accessTokens })] : []),
    ...(PAR === 'off'
      ? []
      : [pushedAuthorizationRequests({ secret: pages.secret, required: PAR === 'required' })]),
    ...(settings.LOGOUT === 'on'
      ? [logout({ interaction: logoutInteraction(pages), secret: pages.secret, keys })]
      : []),
    ...deviceGrant(settings, { pages, accessTokens, limiter }),
  ]
}

/** The profile brings these features itself. */
const OF_PROFILE: Pick<Settings, 'CLIENT_AUTHENTICATION' | 'DPOP' | 'PAR'> = {
  CLIENT_AUTHENTICATION: [],
  DPOP: 'off',
  PAR: 'off',
}

/** What the settings hold the server to. @throws SettingsError when a configured file cannot be used */
export async function profileOf(settings: Settings): Promise<Profile | undefined> {
  if (settings.PROFILE === undefined) return undefined
  const replay = settings.DPOP_REPLAY === 'strict' ? 'strict' : undefined
  return fapi2({ clientAssertion: { fetch: await outboundFetch(settings) }, dpop: { replay } })
}

function deviceGrant(settings: Settings, { pages, accessTokens, limiter }: Omit<Parts, 'keys'>): Feature[] {
  if (settings.DEVICE_GRANT === 'off') return []
  const feature = device({
    interaction: deviceInteraction(pages),
    secret: pages.secret,
    accessTokens,
    rateLimiter: limiter,
    selfRegistered: settings.DEVICE_GRANT === 'all',
    defaultScope: settings.DEFAULT_SCOPE,
    lifetimes: lifetimesOf(settings),
  })
  return [feature]
}
