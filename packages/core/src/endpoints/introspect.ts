import { z } from 'zod'
import { authenticatedClient } from '../authenticated-client.ts'
import { readAhead } from '../grant-change.ts'
import { formParameters, type HttpRequest, type HttpResponse, json } from '../http.ts'
import { readMessage } from '../message.ts'
import { OAuthError } from '../oauth-error.ts'
import { findAccessToken, isCurrentRefreshToken } from '../rules/grant.ts'
import type { ServerContext } from '../server-context.ts'
import type { Client, Grant } from '../store.ts'
import { parseAccessToken, parseRefreshToken } from '../tokens/token-string.ts'

/** RFC 7662 2.1. */
export const IntrospectionRequest = z.object({ token: z.string() })

/** RFC 7662 2.2: whatever the caller may not know looks the same as what does not exist. */
const INACTIVE = { active: false } as const

/** The introspection endpoint (RFC 7662): a resource server sees every token, another client its own. */
export async function introspect(server: ServerContext, request: HttpRequest): Promise<HttpResponse> {
  const form = formParameters(request)
  const { token } = readMessage(IntrospectionRequest, form)
  const ahead = readAhead(server, token)
  const client = await authenticatedClient(server, request, form)
  if (client.tokenEndpointAuthMethod === 'none') throw new OAuthError('client_not_confidential')
  const stored = await ahead?.found
  return json(200, describe(server, client, token, stored?.value))
}

function describe(server: ServerContext, client: Client, token: string, grant?: Grant): object {
  const visible =
    grant !== undefined && (client.resourceServer === true || grant.clientId === client.clientId)
  if (!visible) return INACTIVE
  return describeAccessToken(server, grant, token) ?? describeRefreshToken(server, grant, token) ?? INACTIVE
}

function describeAccessToken(server: ServerContext, grant: Grant, token: string): object | undefined {
  const parsed = parseAccessToken(token)
  const state = parsed && findAccessToken(grant, parsed.secret, server.now())
  return state && { ...describeGrant(server, grant, state), token_type: 'Bearer' }
}

function describeRefreshToken(server: ServerContext, grant: Grant, token: string): object | undefined {
  const parsed = parseRefreshToken(token)
  const { refresh } = grant
  if (parsed === undefined || refresh === undefined || !isCurrentRefreshToken(grant, parsed, server.now()))
    return undefined
  const { scopes, resources } = grant
  return describeGrant(server, grant, {
    scopes,
    resources,
    issuedAt: refresh.previous?.rotatedAt ?? grant.usedAt,
    expiresAt: refresh.expiresAt,
  })
}

interface Extent {
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly issuedAt: number
  readonly expiresAt: number
}

function describeGrant(
  server: ServerContext,
  grant: Grant,
  { scopes, resources, issuedAt, expiresAt }: Extent,
): object {
  const audience = resources.length === 0 ? server.resources : resources
  return {
    active: true,
    scope: scopes.join(' '),
    client_id: grant.clientId,
    sub: grant.subject,
    aud: audience.length === 1 ? audience[0] : audience,
    iss: server.issuer,
    iat: issuedAt,
    exp: expiresAt,
  }
}
