import { OAuthError } from './oauth-error.ts'
import type { IssuedTokens } from './rules/grant.ts'
import type { ServerContext } from './server-context.ts'
import type { Client, Grant } from './store.ts'
import { signIdToken } from './tokens/id-token.ts'
import { formatAccessToken, formatRefreshToken } from './tokens/token-string.ts'

/** RFC 6749 5.1, OpenID Connect Core 3.1.3.3. */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string
  readonly id_token?: string
}

/** @param nonce only the first ID token of a grant carries it (OpenID Connect Core 12.2) */
export async function tokenResponse(
  server: ServerContext,
  client: Client,
  grant: Grant,
  issued: IssuedTokens,
  nonce?: string,
): Promise<TokenResponse> {
  const grantId = grant.id
  const accessToken = formatAccessToken({ grantId, secret: issued.accessToken })
  const { refreshToken, scopes } = issued
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: issued.expiresIn,
    scope: scopes.join(' '),
    ...(refreshToken ? { refresh_token: formatRefreshToken({ grantId, ...refreshToken }) } : {}),
    ...(scopes.includes('openid')
      ? { id_token: await idToken(server, client, grant, accessToken, nonce) }
      : {}),
  }
}

/** Asked before anything is consumed, so that a missing key costs nobody a code. @throws OAuthError 503 */
export function requireSigningKey(server: ServerContext, client: Client, grant: Grant): void {
  const needed = grant.scopes.includes('openid')
  if (needed && server.keys.signer(client.idTokenSignedResponseAlg) === undefined)
    throw new OAuthError('signing_key_unavailable')
}

function idToken(
  server: ServerContext,
  client: Client,
  grant: Grant,
  accessToken: string,
  nonce?: string,
): Promise<string> {
  const key = server.keys.signer(client.idTokenSignedResponseAlg)
  if (key === undefined) throw new OAuthError('signing_key_unavailable')
  const issuedAt = server.now()
  return signIdToken(key, {
    issuer: server.issuer,
    subject: grant.subject,
    clientId: client.clientId,
    authTime: grant.authTime,
    nonce,
    accessToken,
    issuedAt,
    expiresAt: issuedAt + server.lifetimes.accessToken,
  })
}
