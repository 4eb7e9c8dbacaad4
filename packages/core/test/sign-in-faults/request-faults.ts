import type { HttpResponse } from '@grantkit/core'
import { authorizationQuery, authorize, register } from '../client.ts'
import { ISSUER, type Service } from '../service.ts'
import type { Fault } from './fault.ts'

/** The authorization request of a client that has registered as usual. */
async function requested(
  service: Service,
  overrides: Parameters<typeof authorizationQuery>[1],
): Promise<HttpResponse> {
  const { clientId } = await register(service)
  return authorize(service, authorizationQuery(clientId, overrides))
}

/** A parameter of the authorization request is missing or wrong. */
export const REQUEST_FAULTS: readonly Fault[] = [
  {
    fault: 'resource differs by a path',
    provoke: (service) => requested(service, { resource: `${ISSUER}/mcp/sse` }),
    verdict: 'resource_unknown',
    compared: { 'resource sent': `${ISSUER}/mcp/sse`, 'resource expected': `${ISSUER} ${ISSUER}/mcp` },
  },
  {
    fault: 'resource differs by a slash',
    provoke: (service) => requested(service, { resource: `${ISSUER}/mcp/` }),
    verdict: 'resource_unknown',
    compared: { 'resource sent': `${ISSUER}/mcp/`, 'resource expected': `${ISSUER} ${ISSUER}/mcp` },
  },
  {
    fault: 'PKCE is missing',
    provoke: (service) => requested(service, { code_challenge: undefined, code_challenge_method: undefined }),
    verdict: 'challenge_missing',
  },
  {
    fault: 'no scope is requested',
    provoke: (service) => requested(service, { scope: undefined }),
    verdict: 'scope_missing',
  },
  {
    fault: 'an unknown scope is requested',
    provoke: (service) => requested(service, { scope: 'openid courses:paint' }),
    verdict: 'scope_unknown',
    compared: { 'scope requested': 'openid courses:paint' },
  },
]
