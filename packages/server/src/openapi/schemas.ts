import { z } from '@hono/zod-openapi'

/** Schemas of the responses of the OAuth endpoints. Tests validate every response against them. */

const text = z.string()
const seconds = z.int()

/** The features that add members to responses. */
export interface Mounted {
  /** Token exchange (RFC 8693 2.2.1 and 4.1). */
  readonly exchanges: boolean
  /** DPoP (RFC 9449 5 and 6.2). */
  readonly bindsTokens: boolean
}

export function tokensWith({ exchanges, bindsTokens }: Mounted) {
  return z
    .strictObject({
      access_token: text,
      token_type: z.enum(bindsTokens ? ['Bearer', 'DPoP'] : ['Bearer']),
      expires_in: seconds,
      scope: text,
      refresh_token: text.optional(),
      id_token: text.optional(),
      ...(exchanges && { issued_token_type: text.optional() }),
    })
    .openapi('Tokens')
}

export function introspectionWith({ exchanges, bindsTokens }: Mounted) {
  return z
    .strictObject({
      active: z.boolean(),
      scope: text.optional(),
      client_id: text.optional(),
      sub: text.optional(),
      aud: z.union([text, z.array(text)]).optional(),
      iss: text.optional(),
      iat: seconds.optional(),
      exp: seconds.optional(),
      token_type: text.optional(),
      ...(exchanges && { act: z.object({ sub: text }).optional() }),
      ...(bindsTokens && { cnf: z.object({ jkt: text }).optional() }),
    })
    .openapi('Introspection')
}

export const ClientInformation = z
  .object({
    client_id: text,
    client_id_issued_at: seconds,
    client_secret: text.optional(),
    client_secret_expires_at: seconds.optional(),
    client_name: text.optional(),
    application_type: z.enum(['native', 'web']),
    redirect_uris: z.array(text),
    token_endpoint_auth_method: z.enum(['none', 'client_secret_post', 'client_secret_basic']),
    grant_types: z.array(text),
    response_types: z.array(text),
    scope: text.optional(),
    id_token_signed_response_alg: text,
  })
  .openapi('ClientInformation')

export const UserInfo = z
  .object({
    sub: text,
    name: text.optional(),
    email: text.optional(),
    email_verified: z.boolean().optional(),
  })
  .openapi('UserInfo')

export const Empty = z.strictObject({}).openapi('Empty')

export const ServerMetadata = z
  .object({
    issuer: text,
    authorization_endpoint: text,
    token_endpoint: text,
    registration_endpoint: text.optional(),
    jwks_uri: text,
    scopes_supported: z.array(text),
    response_types_supported: z.array(text),
    grant_types_supported: z.array(text),
    code_challenge_methods_supported: z.array(text),
  })
  .openapi('ServerMetadata')

export const ResourceMetadata = z
  .object({
    resource: text,
    authorization_servers: z.array(text),
    scopes_supported: z.array(text),
    bearer_methods_supported: z.array(text),
  })
  .openapi('ResourceMetadata')

const Key = z.object({ kty: text, kid: text, alg: text, use: text })
export const KeySet = z.object({ keys: z.array(Key) }).openapi('KeySet')

export const DeviceCodes = z.object({
  device_code: text,
  user_code: text.openapi({ example: 'WDJB-MJHT' }),
  verification_uri: text,
  expires_in: seconds.openapi({ description: 'Seconds' }),
  interval: seconds.openapi({ description: 'Seconds between two exchanges' }),
})

export const PushedRequest = z.object({ request_uri: text, expires_in: seconds })
