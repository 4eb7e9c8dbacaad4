import { z } from 'zod'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import { json } from '../http/http.ts'
import { readMessage } from '../http/message.ts'
import { endpointPath, type PathOptions } from '../http/well-known.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { AccessTokenState, Client, Grant } from '../kernel/records.ts'
import type { AccessTokenFormat, PresentedToken } from '../tokens/access-token.ts'
import { parseRefreshToken, type RefreshToken } from '../tokens/credential.ts'
import { readAhead } from './change-grant.ts'
import { findAccessToken, isCurrentRefreshToken } from './grant.ts'

/** RFC 7662 2.1. */
const IntrospectionRequest = z.object({ token: z.string() })

export type IntrospectionOptions = PathOptions<'introspect'>

/** RFC 7662 2.2: a token that the caller may not see looks the same as one that does not exist. */
const INACTIVE = { active: false } as const

/** The introspection endpoint (RFC 7662). A resource server sees every token, any other client only its own. */
export function introspection(
  kernel: Kernel,
  { paths }: IntrospectionOptions,
  accessTokens: AccessTokenFormat,
): { clientEndpoints: ClientEndpoint[] } {
  const introspect: ClientEndpoint = {
    path: endpointPath('introspect', paths?.introspect, '/api/oauth/introspect'),
    metadataName: 'introspection_endpoint',
    listsAuthMethods: true,
    summary: 'What a token is good for (RFC 7662)',
    message: IntrospectionRequest,
    confidential: true,
    begin(form) {
      const { token } = readMessage(IntrospectionRequest, form)
      const ahead = readAhead(kernel.store.grants, token, accessTokens.grantIdOf)
      return async (client) => {
        const grant = (await ahead?.found)?.value
        const known = grant !== undefined && mayKnow(client, grant)
        if (!known) return json(200, INACTIVE)
        const read = accessTokens.read(token)
        const access = read instanceof Promise ? await read : read
        return json(200, describe(kernel, grant, token, access))
      }
    },
  }
  return { clientEndpoints: [introspect] }
}

function mayKnow({ resourceServer, clientId }: Client, grant: Grant): boolean {
  return resourceServer === true || grant.clientId === clientId
}

function describe(kernel: Kernel, grant: Grant, token: string, access: PresentedToken | undefined): object {
  const state = access && findAccessToken(grant, access.hash, kernel.now())
  if (state !== undefined) return { ...describeGrant(kernel, grant, state), token_type: 'Bearer' }
  const refresh = parseRefreshToken(token)
  return (refresh && describeRefreshToken(kernel, grant, refresh)) ?? INACTIVE
}

function describeRefreshToken(kernel: Kernel, grant: Grant, token: RefreshToken): object | undefined {
  const { refresh, scopes, resources, usedAt } = grant
  if (refresh === undefined || !isCurrentRefreshToken(grant, token, kernel.now())) return undefined
  const issuedAt = refresh.previous?.rotatedAt ?? usedAt
  return describeGrant(kernel, grant, { scopes, resources, issuedAt, expiresAt: refresh.expiresAt })
}

type Extent = Pick<AccessTokenState, 'scopes' | 'resources' | 'issuedAt' | 'expiresAt'>

function describeGrant(
  { issuer, resources: all }: Kernel,
  { clientId, subject }: Grant,
  { scopes, resources, issuedAt, expiresAt }: Extent,
): object {
  const audience = resources.length === 0 ? all : resources
  return {
    active: true,
    scope: scopes.join(' '),
    client_id: clientId,
    sub: subject,
    aud: audience.length === 1 ? audience[0] : audience,
    iss: issuer,
    iat: issuedAt,
    exp: expiresAt,
  }
}
