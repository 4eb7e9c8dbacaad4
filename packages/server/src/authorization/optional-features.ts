import type { Feature } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { clientDocuments } from '@grantkit/core/client-documents'
import { device } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { fapi2 } from '@grantkit/core/fapi2'
import { type ForwardAuthOptions, forwardAuth } from '@grantkit/core/forward-auth'
import type { Profile } from '@grantkit/core/internal'
import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import { logout } from '@grantkit/core/logout'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { refreshTokenExpiration } from '@grantkit/core/refresh-token-expiration'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { backChannelLogout } from '@grantkit/notifications'
import type { Config } from '../config/config.ts'
import { takesAssertions } from '../config/jwt-bearer.ts'
import { outboundFetch, outboundPost } from '../http/outbound.ts'
import type { Site } from '../http/page.ts'
import type { Authentication } from './authentication.ts'
import { clientDocumentsOf } from './client-documents.ts'
import { dpopOf } from './dpop.ts'
import { jwtBearerOf } from './jwt-bearer.ts'

/** The features of core that are configured, in the order of the metadata. @param delivers whether this process delivers messages */
export async function optionalFeatures(
  config: Config,
  authentication: Authentication,
  delivers: boolean,
): Promise<Feature[]> {
  const { features } = config
  const documents = await clientDocumentsOf(config)
  const byKey = authenticatesByKey(features)
    ? [clientAssertion({ ...features.clientAssertion, fetch: await outboundFetch(config) })]
    : []
  return [
    ...signedAccessTokens(config),
    ...(documents === undefined ? [] : [clientDocuments(documents)]),
    ...byKey,
    ...(features.clientCredentials ? [clientCredentials()] : []),
    ...(features.profile === undefined ? senderConstraint(features) : []),
    ...(features.forwardAuth.enabled ? [forwardAuth(forwardAuthOf(features))] : []),
    ...(features.tokenExchange ? [tokenExchange()] : []),
    ...(takesAssertions(features) ? [await jwtBearerOf(config, authentication)] : []),
    ...(features.profile === undefined ? pushedRequests(features) : []),
    ...(features.refreshTokenExpiration ? [refreshTokenExpiration()] : []),
    ...(features.logout ? [logout(authentication.logout)] : []),
    ...(features.backChannelLogout ? [await backChannelLogoutOf(config, authentication, delivers)] : []),
    ...deviceGrant(features, authentication.site),
    ...(authentication.personalTokens === undefined ? [] : [authentication.personalTokens]),
  ]
}

/** Its receivers are clients of the operator, at public addresses. */
async function backChannelLogoutOf(
  config: Config,
  { sessions }: Authentication,
  timers: boolean,
): Promise<Feature> {
  const post = await outboundPost(config)
  return backChannelLogout({ post, sessionLifetime: sessions.lifetime, timers })
}

type Features = Config['features']

/** A profile mounts the authentication by key, DPoP and PAR itself. */
function authenticatesByKey({ clientAuthentication, profile }: Features): boolean {
  return profile === undefined && clientAuthentication.includes('private_key_jwt')
}

function senderConstraint(features: Features): Feature[] {
  return features.dpop.mode === 'off' ? [] : [dpop(dpopOf(features))]
}

function pushedRequests({ par }: Features): Feature[] {
  return par === 'off' ? [] : [pushedAuthorizationRequests({ required: par === 'required' })]
}

/** The configured profile. @throws ConfigError when a configured file cannot be used */
export async function profileOf(config: Config): Promise<Profile | undefined> {
  if (config.features.profile === undefined) return undefined
  const { clientAssertion, dpop } = config.features
  const replay = dpop.replay === 'strict' ? 'strict' : undefined
  const { maxLifetime } = clientAssertion
  return fapi2({ clientAssertion: { maxLifetime, fetch: await outboundFetch(config) }, dpop: { replay } })
}

/** JWT access tokens for the resources that get them, and their revocation feed. */
function signedAccessTokens({ baseUrl, resources, features: { jwtAccessTokens: usual } }: Config): Feature[] {
  const isSigned = (format: 'jwt' | 'opaque' | undefined) =>
    format === undefined ? usual.enabled : format === 'jwt'
  const signed = Object.entries({ [baseUrl]: {}, ...resources } as Config['resources'])
    .filter(([, { accessTokens }]) => isSigned(accessTokens))
    .map(([resource, { lifetime = usual.lifetime }]) => [resource, { lifetime }] as const)
  return signed.length === 0
    ? []
    : [jwtAccessTokens({ resources: Object.fromEntries(signed) }), revocationFeed()]
}

/** DPoP-bound tokens are accepted if the origin of the gateway is configured. */
function forwardAuthOf({
  forwardAuth: { clientCredentials, origin },
  dpop: { mode },
}: Features): ForwardAuthOptions {
  return { clientCredentials, origin: mode === 'off' ? undefined : origin }
}

function deviceGrant({ device: mode }: Features, { ui }: Site): Feature[] {
  return mode === 'off' ? [] : [device(ui.device, { selfRegistered: mode === 'all' })]
}
