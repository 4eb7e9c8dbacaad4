import { z } from 'zod'
import { authenticatedClient } from '../authenticated-client.ts'
import { type GrantAhead, readAhead } from '../grant-change.ts'
import { formParameters, type HttpRequest, type HttpResponse, json, type Parameters } from '../http.ts'
import { readMessage, text } from '../message.ts'
import { OAuthError } from '../oauth-error.ts'
import type { ServerContext } from '../server-context.ts'
import type { Client, GrantType } from '../store.ts'
import type { TokenResponse } from '../token-response.ts'
import { authorizationCode } from './grant-types/authorization-code.ts'
import { refreshToken } from './grant-types/refresh-token.ts'

const TokenRequest = z.object({ grant_type: text() })

type Exchange = (
  server: ServerContext,
  client: Client,
  form: Parameters,
  ahead?: GrantAhead,
) => Promise<TokenResponse>
const EXCHANGES: Readonly<Record<GrantType, Exchange>> = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
}

/** The token endpoint (RFC 6749 3.2). The query string is not read (RFC 6749 2.3.1). */
export async function token(server: ServerContext, request: HttpRequest): Promise<HttpResponse> {
  const form = formParameters(request)
  const { grant_type } = readMessage(TokenRequest, form)
  const credential = form.code ?? form.refresh_token
  const ahead = typeof credential === 'string' ? readAhead(server, credential) : undefined
  const client = await authenticatedClient(server, request, form)
  const grantType = supportedGrantType(grant_type)
  if (!client.grantTypes.includes(grantType)) throw new OAuthError('grant_type_not_registered')
  const response = await EXCHANGES[grantType](server, client, form, ahead)
  return json(200, response)
}

function supportedGrantType(grantType: string): GrantType {
  if (grantType === 'authorization_code' || grantType === 'refresh_token') return grantType
  throw new OAuthError('grant_type_unsupported')
}
