import type { AccessTokenFormat, ServerSecret } from '@grantkit/core'
import type { ForwardAuthOptions } from '@grantkit/core/forward-auth'
import type { Settings } from '../settings/settings.ts'
import { proofsOf } from './dpop.ts'

/** Whom the service lets pass at a gateway. Bound tokens pass where the origin of the gateway is known. */
export function gatewayOf(
  settings: Settings,
  secret: ServerSecret,
  accessTokens: AccessTokenFormat,
): ForwardAuthOptions {
  const { FORWARD_AUTH_CLIENT_CREDENTIALS, FORWARD_AUTH_ORIGIN: origin } = settings
  const proofs = origin === undefined ? undefined : proofsOf(settings, secret, origin)
  return { accessTokens, clientCredentials: FORWARD_AUTH_CLIENT_CREDENTIALS === 'on', proofs }
}
