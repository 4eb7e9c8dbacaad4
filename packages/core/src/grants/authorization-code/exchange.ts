import { z } from 'zod'
import { ResourceParameter, readMessage, text } from '../../http/message.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { newId, newSecret } from '../../kernel/secrets.ts'
import { parseCode } from '../../tokens/credential.ts'
import { changeGrant } from '../change-grant.ts'
import type { GrantTerms } from '../grant.ts'
import type { Exchanged, GrantType, TokenRequest } from '../grant-type.ts'
import { CodeVerifier } from './pkce.ts'
import { CODE_ERRORS, type CodeRedemption, redeemCode } from './redemption.ts'

/** RFC 6749 4.1.3, RFC 7636 4.5, RFC 8707 2.2. */
const AuthorizationCodeRequest = z.object({
  code: text(),
  redirect_uri: text().optional(),
  code_verifier: CodeVerifier.optional(),
  resource: ResourceParameter,
})
type AuthorizationCodeRequest = z.output<typeof AuthorizationCodeRequest>

export interface CodeRedeemed {
  readonly type: 'code_redeemed'
  readonly grantId: string
  readonly clientId: string
}

/** Exchanges an authorization code for the first tokens of its grant. */
export function authorizationCode(kernel: Kernel, times: GrantTerms): { grantTypes: GrantType[] } {
  const grantType: GrantType = {
    name: 'authorization_code',
    message: AuthorizationCodeRequest,
    credential: 'code',
    selfRegistered: true,
    exchange: (client, request) => exchangeCode(kernel, times, client, request),
  }
  return { grantTypes: [grantType] }
}

async function exchangeCode(
  kernel: Kernel,
  times: GrantTerms,
  client: Client,
  { form, prefetched, assertCanRespond, jkt }: TokenRequest,
): Promise<Exchanged> {
  const request = readMessage(AuthorizationCodeRequest, form)
  const code = parseCode(request.code)
  if (code === undefined) throw new OAuthError(CODE_ERRORS.code_unknown)
  const redemption = redemptionOf(kernel, client, request, code.secret, jkt)
  const changed = await changeGrant(
    kernel,
    code.grantId,
    (grant) => {
      assertCanRespond(client, grant)
      return redeemCode(grant, redemption, kernel.now(), times)
    },
    prefetched,
  )
  if (changed === undefined) throw new OAuthError(CODE_ERRORS.code_unknown)
  const { grant, result } = changed
  const { clientId } = client
  kernel.emit({ type: 'code_redeemed', grantId: grant.id, clientId } satisfies CodeRedeemed)
  return { grant, issued: result, nonce: result.nonce }
}

function redemptionOf(
  { random, resources }: Kernel,
  client: Client,
  request: AuthorizationCodeRequest,
  code: CodeRedemption['code'],
  jkt: string | undefined,
): CodeRedemption {
  return {
    code,
    client,
    redirectUri: request.redirect_uri,
    verifier: request.code_verifier,
    resources: request.resource,
    knownResources: resources,
    jkt,
    fresh: { accessToken: newSecret(random), family: newId(random), refreshToken: newSecret(random) },
  }
}
