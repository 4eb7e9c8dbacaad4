import type { AuthorizationServerOptions, TokenClaims, TokenClaimsRequest } from '@grantkit/core'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { bodyOf, type ClientAnswer, credentials, requestToken, type TokenAnswer } from './client.ts'
import { openDeviceService } from './device-service.ts'
import { ISSUER, REDIRECT_URI, SCOPES, type Service, type ServiceScope } from './service.ts'

/** The service with `tokenClaims`, which the test may replace, and signed tokens for `/mcp`. */

export const MCP = `${ISSUER}/mcp`

type Asked = Omit<TokenClaimsRequest, 'signal'>

const GRANT_TYPES = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE, 'client_credentials']

export async function openClaimsService(
  tokenClaims: TokenClaims | undefined,
  options: Partial<AuthorizationServerOptions<ServiceScope>> = {},
) {
  const asked: Asked[] = []
  /** Tests replace it. */
  const hook = { tokenClaims }
  const features = [jwtAccessTokens({ resources: { [MCP]: {} } }), tokenExchange(), clientCredentials()]
  const device = await openDeviceService({
    server: {
      features,
      tokenClaims({ signal, ...request }) {
        asked.push(request)
        return hook.tokenClaims?.({ signal, ...request })
      },
      ...options,
    },
  })
  const { service } = device
  const portal = { clientName: 'Portal', redirectUris: [REDIRECT_URI], grantTypes: GRANT_TYPES }
  const client = await service.server.clients.add({ ...portal, clientCredentialsScopes: ['courses:read'] })
  const api = { clientName: 'API', redirectUris: [REDIRECT_URI], resourceServer: true }
  const reader = await service.server.clients.add(api)
  return { ...device, service, client, reader, asked, hook }
}

export function exchange(service: Service, client: ClientAnswer, subject_token: string) {
  return requestToken(service, {
    ...credentials(client),
    ...{ grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN_TYPE },
    scope: 'courses:read',
  })
}

export function machineToken(service: Service, client: ClientAnswer, resource = MCP) {
  return requestToken(service, { ...credentials(client), grant_type: 'client_credentials', resource })
}

export async function introspected(service: Service, client: ClientAnswer, token: string) {
  const form = { ...credentials(client), token }
  return bodyOf(await service.send('POST', '/api/oauth/introspect', { form }))
}

export async function userinfoOf(service: Service, { access_token }: TokenAnswer) {
  const headers = { authorization: `Bearer ${access_token}` }
  return service.send('GET', '/api/oauth/userinfo', { headers })
}

export const WITH_ADDRESS = {
  ...SCOPES,
  address: { description: 'See your address' },
  phone: { description: 'See your phone number' },
}
