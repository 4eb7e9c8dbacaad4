import { z } from 'zod'
import { allowed, changeGrant, type GrantAhead } from '../../grant-change.ts'
import type { Parameters } from '../../http.ts'
import { readMessage, text } from '../../message.ts'
import { OAuthError } from '../../oauth-error.ts'
import { redeemCode } from '../../rules/code-redemption.ts'
import { CodeVerifier } from '../../rules/pkce.ts'
import { ResourceParameter } from '../../rules/resource-indicator.ts'
import { newId, newSecret } from '../../secrets.ts'
import type { ServerContext } from '../../server-context.ts'
import type { Client } from '../../store.ts'
import { requireSigningKey, type TokenResponse, tokenResponse } from '../../token-response.ts'
import { parseCode } from '../../tokens/token-string.ts'

/** RFC 6749 4.1.3, RFC 7636 4.5, RFC 8707 2.2. */
export const AuthorizationCodeRequest = z.object({
  code: text(),
  redirect_uri: text().optional(),
  code_verifier: CodeVerifier,
  resource: ResourceParameter,
})

/** Exchanges an authorization code for the first tokens of its grant. */
export async function authorizationCode(
  server: ServerContext,
  client: Client,
  form: Parameters,
  ahead?: GrantAhead,
): Promise<TokenResponse> {
  const request = readMessage(AuthorizationCodeRequest, form)
  const code = parseCode(request.code)
  if (code === undefined) throw new OAuthError('code_unknown')
  const { random, resources: knownResources } = server
  const redemption = {
    code: code.secret,
    client,
    redirectUri: request.redirect_uri,
    verifier: request.code_verifier,
    resources: request.resource,
    knownResources,
    fresh: { accessToken: newSecret(random), family: newId(random), refreshToken: newSecret(random) },
  }
  const outcome = await changeGrant(
    server,
    code.grantId,
    (grant) => {
      requireSigningKey(server, client, grant)
      return redeemCode(grant, redemption, server.now(), server.lifetimes)
    },
    ahead,
  )
  const { grant, result } = allowed(outcome, 'code_unknown')
  server.onEvent({ type: 'code_redeemed', grantId: grant.id, clientId: client.clientId })
  return tokenResponse(server, client, grant, result, grant.nonce)
}
