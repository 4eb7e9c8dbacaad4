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
  readonly refresh_token?: string | undefined
  readonly id_token?: string
}

/** @param nonce only the first ID token of a grant carries it (OpenID Connect Core 12.2) */
export function tokenResponse(
  server: ServerContext,
  client: Client,
  grant: Grant,
  issued: IssuedTokens,
  nonce?: string,
): TokenResponse | Promise<TokenResponse> {
  const { refreshToken, scopes } = issued
  const grantId = grant.id
  const response: TokenResponse = {
    access_token: formatAccessToken({ grantId, secret: issued.accessToken }),
    token_type: 'Bearer',
    expires_in: issued.expiresIn,
    scope: scopes.join(' '),
    refresh_token: refreshToken && formatRefreshToken({ grantId, ...refreshToken }),
  }
  return scopes.includes('openid') ? withIdToken(server, client, grant, response, nonce) : response
}

/** Asked before anything is consumed, so that a missing key costs nobody a code. @throws OAuthError 503 */
export function requireSigningKey(server: ServerContext, client: Client, grant: Grant): void {
  const needed = grant.scopes.includes('openid')
  if (needed && server.keys.signer(client.idTokenSignedResponseAlg) === undefined)
    throw new OAuthError('signing_key_unavailable')
}

async function withIdToken(
  server: ServerContext,
  client: Client,
  grant: Grant,
  response: TokenResponse,
  nonce?: string,
): Promise<TokenResponse> {
  const key = server.keys.signer(client.idTokenSignedResponseAlg)
  if (key === undefined) throw new OAuthError('signing_key_unavailable')
  const issuedAt = server.now()
  const id_token = await signIdToken(key, {
    issuer: server.issuer,
    subject: grant.subject,
    clientId: client.clientId,
    authTime: grant.authTime,
    nonce,
    accessToken: response.access_token,
    issuedAt,
    expiresAt: issuedAt + server.lifetimes.accessToken,
  })
  return { ...response, id_token }
}
