import { JWT_BEARER } from '@grantkit/core/jwt-bearer'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { z } from '@hono/zod-openapi'
import type { DescribedServer } from './described-server.ts'

/** The responses of the OAuth endpoints. Tests validate every response against these schemas. */

const text = z.string()
const optional = text.optional()
const texts = z.array(text)
const seconds = z.int()

/** Whether tokens can be those of a program that its platform identified. */
function takesAssertions({ mounted }: DescribedServer): boolean {
  return mounted.grantTypes.some(({ name }) => name === JWT_BEARER)
}

/** Whether it has token exchange, which adds members (RFC 8693 2.2.1 and 4.1). */
function exchanges({ mounted }: DescribedServer): boolean {
  return mounted.grantTypes.some(({ name }) => name === TOKEN_EXCHANGE)
}

/** RFC 6749 5.1, RFC 9449 5. */
export function tokenResponse(server: DescribedServer) {
  return z
    .strictObject({
      access_token: text,
      token_type: z.enum(server.bindsTokens ? ['Bearer', 'DPoP'] : ['Bearer']),
      expires_in: seconds,
      scope: text,
      refresh_token: optional,
      id_token: optional,
      ...(exchanges(server) && { issued_token_type: optional }),
    })
    .openapi('Tokens')
}

/** RFC 7662 2.2, RFC 9449 6.2. */
export function introspectionResponse(server: DescribedServer) {
  return z
    .strictObject({
      active: z.boolean(),
      ...{ scope: optional, client_id: optional, sub: optional, iss: optional, token_type: optional },
      aud: z.union([text, texts]).optional(),
      ...{ email: optional, email_verified: z.boolean().optional() },
      iat: seconds.optional(),
      exp: seconds.optional(),
      personal: z.literal(true).optional(),
      ...(takesAssertions(server) && { workload: z.object({ issuer: text, subject: text }).optional() }),
      ...(exchanges(server) && { act: z.object({ sub: text }).optional() }),
      ...(server.bindsTokens && { cnf: z.object({ jkt: text }).optional() }),
    })
    .openapi('Introspection')
}

/** RFC 7591 3.2.1. */
export const ClientInformation = z
  .object({
    client_id: text,
    client_id_issued_at: seconds,
    client_secret: optional,
    client_secret_expires_at: seconds.optional(),
    client_name: optional,
    application_type: z.enum(['native', 'web']),
    redirect_uris: texts,
    token_endpoint_auth_method: z.enum(['none', 'client_secret_post', 'client_secret_basic']),
    grant_types: texts,
    response_types: texts,
    scope: optional,
    id_token_signed_response_alg: text,
  })
  .openapi('ClientInformation')

/** OpenID Connect Core 5.3.2. */
export const UserInfo = z
  .object({ sub: text, name: optional, email: optional, email_verified: z.boolean().optional() })
  .openapi('UserInfo')

export const Empty = z.strictObject({}).openapi('Empty')

/** RFC 8414 2. */
export const ServerMetadata = z
  .object({
    issuer: text,
    authorization_endpoint: text,
    token_endpoint: text,
    registration_endpoint: optional,
    jwks_uri: text,
    scopes_supported: texts,
    response_types_supported: texts,
    grant_types_supported: texts,
    code_challenge_methods_supported: texts,
  })
  .openapi('ServerMetadata')

/** RFC 9728 2. */
export const ResourceMetadata = z
  .object({
    ...{ resource: text, authorization_servers: texts },
    ...{ scopes_supported: texts, bearer_methods_supported: texts },
  })
  .openapi('ResourceMetadata')

/** RFC 7517 5. */
export const KeySet = z
  .object({ keys: z.array(z.object({ kty: text, kid: text, alg: text, use: text })) })
  .openapi('KeySet')

/** RFC 8628 3.2. */
export const DeviceAuthorization = z.object({
  device_code: text,
  user_code: text.openapi({ example: 'WDJB-MJHT' }),
  verification_uri: text,
  expires_in: seconds.openapi({ description: 'Seconds' }),
  interval: seconds.openapi({ description: 'Seconds between two exchanges' }),
})

/** RFC 9126 2.2. */
export const PushedAuthorizationResponse = z.object({ request_uri: text, expires_in: seconds })
