import { createPrivateKey } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type CryptoKey,
  PrivateKeyJwt,
} from 'openid-client'
import type { Provider } from '../../config/providers.ts'

type Method = NonNullable<Provider['tokenEndpointAuthMethod']>

/**
 * How this server authenticates at the token endpoint of a provider. If the settings do not say it, the metadata do; a
 * provider without the member takes Basic (OpenID Connect Discovery 1.0, 3).
 *
 * @param listed `token_endpoint_auth_methods_supported` of the provider
 */
export function authMethodOf(
  { tokenEndpointAuthMethod, clientSecret, clientKey }: Provider,
  listed: readonly string[] = ['client_secret_basic'],
): Method {
  if (tokenEndpointAuthMethod !== undefined) return tokenEndpointAuthMethod
  if (clientSecret === undefined) return 'private_key_jwt'
  if (listed.includes('client_secret_post')) return 'client_secret_post'
  if (listed.includes('client_secret_basic')) return 'client_secret_basic'
  return clientKey === undefined ? 'client_secret_post' : 'private_key_jwt'
}

/** The library awaits it. */
export function clientAuthentication(provider: Provider): ClientAuth {
  return async (server, client, body, headers) => {
    const authenticate = await authentication(provider, server.token_endpoint_auth_methods_supported)
    return authenticate(server, client, body, headers)
  }
}

async function authentication(
  provider: Provider,
  listed: readonly string[] | undefined,
): Promise<ClientAuth> {
  switch (authMethodOf(provider, listed)) {
    case 'private_key_jwt':
      return PrivateKeyJwt(await keyOf(provider))
    case 'client_secret_basic':
      return ClientSecretBasic(await secretOf(provider))
    case 'client_secret_post':
      return ClientSecretPost(await secretOf(provider))
  }
}

async function keyOf({ clientKey = '' }: Provider) {
  const jwk = JSON.parse(clientKey)
  const key = (await importJWK(jwk)) as CryptoKey
  return jwk.kid === undefined ? key : { key, kid: String(jwk.kid) }
}

/** For Apple a JWT of ten minutes, so that there is no secret which expires (Apple: at most six months). */
async function secretOf({ clientSecret = '', clientId, issuer }: Provider): Promise<string> {
  if (typeof clientSecret === 'string') return clientSecret
  const { teamId, keyId, key } = clientSecret.apple
  return new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(createPrivateKey(key))
}
