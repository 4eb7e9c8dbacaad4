import type { Feature } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { clientDocuments } from '@grantkit/core/client-documents'
import { device } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { fapi2 } from '@grantkit/core/fapi2'
import type { Profile } from '@grantkit/core/feature'
import { type ForwardAuthOptions, forwardAuth } from '@grantkit/core/forward-auth'
import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import { logout } from '@grantkit/core/logout'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { clientDocumentsOf, outboundFetch } from './oauth/client-documents.ts'
import { dpopOf } from './oauth/dpop.ts'
import { logoutInteraction, type PagesOptions } from './pages/routes.ts'
import type { Settings } from './settings/settings.ts'

/** The features of core that settings enable, in the order of the metadata. */
export async function optionalFeatures(settings: Settings, pages: PagesOptions): Promise<Feature[]> {
  const documents = await clientDocumentsOf(settings)
  const { CLIENT_AUTHENTICATION, DPOP, PAR } = settings.PROFILE === undefined ? settings : OF_PROFILE
  const authenticatesByKey = CLIENT_AUTHENTICATION.includes('private_key_jwt')
  return [
    ...signedAccessTokens(settings),
    ...(documents === undefined ? [] : [clientDocuments(documents)]),
    ...(authenticatesByKey ? [clientAssertion({ fetch: await outboundFetch(settings) })] : []),
    ...(settings.CLIENT_CREDENTIALS === 'on' ? [clientCredentials()] : []),
    ...(DPOP === 'off' ? [] : [dpop(dpopOf(settings))]),
    ...(settings.FORWARD_AUTH === 'on' ? [forwardAuth(forwardAuthOf(settings))] : []),
    ...(settings.TOKEN_EXCHANGE === 'on' ? [tokenExchange()] : []),
    ...(PAR === 'off' ? [] : [pushedAuthorizationRequests({ required: PAR === 'required' })]),
    ...(settings.LOGOUT === 'on' ? [logout(logoutInteraction(pages))] : []),
    ...deviceGrant(settings, pages),
  ]
}

/** The profile mounts these features itself. */
const OF_PROFILE: Pick<Settings, 'CLIENT_AUTHENTICATION' | 'DPOP' | 'PAR'> = {
  CLIENT_AUTHENTICATION: [],
  DPOP: 'off',
  PAR: 'off',
}

/** The profile that the settings select. @throws SettingsError when a configured file cannot be used */
export async function profileOf(settings: Settings): Promise<Profile | undefined> {
  if (settings.PROFILE === undefined) return undefined
  const replay = settings.DPOP_REPLAY === 'strict' ? 'strict' : undefined
  return fapi2({ clientAssertion: { fetch: await outboundFetch(settings) }, dpop: { replay } })
}

/** JWT access tokens for both resources, and their revocation feed. */
function signedAccessTokens(settings: Settings): Feature[] {
  const { JWT_ACCESS_TOKENS, JWT_ACCESS_TOKEN_LIFETIME: lifetime, BASE_URL: issuer } = settings
  if (JWT_ACCESS_TOKENS === 'off') return []
  const resources = { [issuer]: { lifetime }, [`${issuer}/mcp`]: { lifetime } }
  return [jwtAccessTokens({ resources }), revocationFeed()]
}

/** DPoP-bound tokens are accepted if the origin of the gateway is configured. */
function forwardAuthOf(settings: Settings): ForwardAuthOptions {
  return {
    clientCredentials: settings.FORWARD_AUTH_CLIENT_CREDENTIALS === 'on',
    origin: settings.DPOP === 'off' ? undefined : settings.FORWARD_AUTH_ORIGIN,
  }
}

function deviceGrant(settings: Settings, pages: PagesOptions): Feature[] {
  if (settings.DEVICE_GRANT === 'off') return []
  return [device(pages.site.ui.device, { selfRegistered: settings.DEVICE_GRANT === 'all' })]
}
