import { z } from 'zod'
import { allowed, changeGrant, type GrantAhead } from '../../grant-change.ts'
import type { Parameters } from '../../http.ts'
import { readMessage, text } from '../../message.ts'
import { OAuthError } from '../../oauth-error.ts'
import { rotateRefreshToken } from '../../rules/refresh-rotation.ts'
import { ResourceParameter } from '../../rules/resource-indicator.ts'
import { newId } from '../../secrets.ts'
import type { ServerContext } from '../../server-context.ts'
import type { Client } from '../../store.ts'
import { requireSigningKey, type TokenResponse, tokenResponse } from '../../token-response.ts'
import { parseRefreshToken } from '../../tokens/token-string.ts'

/** RFC 6749 6, RFC 8707 2.2. */
export const RefreshTokenRequest = z.object({
  refresh_token: text(),
  scope: text().optional(),
  resource: ResourceParameter,
})

/** Exchanges a refresh token for its successor and a new access token, without asking the user. */
export async function refreshToken(
  server: ServerContext,
  client: Client,
  form: Parameters,
  ahead?: GrantAhead,
): Promise<TokenResponse> {
  const request = readMessage(RefreshTokenRequest, form)
  const token = parseRefreshToken(request.refresh_token)
  if (token === undefined) throw new OAuthError('refresh_token_unknown')
  const rotation = {
    token,
    clientId: client.clientId,
    scope: request.scope,
    resources: request.resource,
    knownResources: server.resources,
    salt: newId(server.random),
  }
  const outcome = await changeGrant(
    server,
    token.grantId,
    (grant) => {
      requireSigningKey(server, client, grant)
      return rotateRefreshToken(grant, rotation, server.now(), server.lifetimes)
    },
    ahead,
  )
  const { grant, result } = allowed(outcome, 'refresh_token_unknown')
  server.onEvent({
    type: result.retried ? 'refresh_token_retried' : 'refresh_token_rotated',
    grantId: grant.id,
    clientId: client.clientId,
    generation: result.refreshToken.generation,
  })
  return tokenResponse(server, client, grant, result)
}
