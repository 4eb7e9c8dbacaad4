import { JWT_BEARER } from '@grantkit/core/jwt-bearer'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { error, header, page, type Responses, text, UNAVAILABLE, z } from '@grantkit/server/routes'
import type { DescribedServer } from './requests.ts'

/** The responses of the OAuth endpoints. Tests validate every response against these schemas. */

const string = z.string()
const optional = string.optional()
const texts = z.array(string)
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
      access_token: string,
      token_type: z.enum(server.bindsTokens ? ['Bearer', 'DPoP'] : ['Bearer']),
      expires_in: seconds,
      scope: string,
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
      aud: z.union([string, texts]).optional(),
      ...{ email: optional, email_verified: z.boolean().optional() },
      iat: seconds.optional(),
      exp: seconds.optional(),
      personal: z.literal(true).optional(),
      ...(takesAssertions(server) && { workload: z.object({ issuer: string, subject: string }).optional() }),
      ...(exchanges(server) && { act: z.object({ sub: string }).optional() }),
      ...(server.bindsTokens && { cnf: z.object({ jkt: string }).optional() }),
    })
    .openapi('Introspection')
}

/** RFC 7591 3.2.1. */
export const ClientInformation = z
  .object({
    client_id: string,
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
    id_token_signed_response_alg: string,
  })
  .openapi('ClientInformation')

/** OpenID Connect Core 5.3.2. */
export const UserInfo = z
  .object({ sub: string, name: optional, email: optional, email_verified: z.boolean().optional() })
  .openapi('UserInfo')

export const Empty = z.strictObject({}).openapi('Empty')

/** RFC 8414 2. */
export const ServerMetadata = z
  .object({
    issuer: string,
    authorization_endpoint: string,
    token_endpoint: string,
    registration_endpoint: optional,
    jwks_uri: string,
    scopes_supported: texts,
    response_types_supported: texts,
    grant_types_supported: texts,
    code_challenge_methods_supported: texts,
  })
  .openapi('ServerMetadata')

/** RFC 9728 2. */
export const ResourceMetadata = z
  .object({
    ...{ resource: string, authorization_servers: texts },
    ...{ scopes_supported: texts, bearer_methods_supported: texts },
  })
  .openapi('ResourceMetadata')

/** RFC 7517 5. */
export const KeySet = z
  .object({ keys: z.array(z.object({ kty: string, kid: string, alg: string, use: string })) })
  .openapi('KeySet')

/** RFC 8628 3.2. */
export const DeviceAuthorization = z.object({
  device_code: string,
  user_code: string.openapi({ example: 'WDJB-MJHT' }),
  verification_uri: string,
  expires_in: seconds.openapi({ description: 'Seconds' }),
  interval: seconds.openapi({ description: 'Seconds between two exchanges' }),
})

/** CIBA 7.3. */
export const BackchannelAuthentication = z.object({
  auth_req_id: string,
  expires_in: seconds.openapi({ description: 'Seconds' }),
  interval: seconds.openapi({ description: 'Seconds between two exchanges' }),
})

/** RFC 9126 2.2. */
export const PushedAuthorizationResponse = z.object({ request_uri: string, expires_in: seconds })

const TOO_LARGE = error('The body is larger than 64 KiB')

/** The responses of a page that core serves. */
export function browserPage(descriptions: Readonly<Record<number, string>>): Responses {
  return {
    ...page({ ...descriptions, 503: 'A page: the store cannot be reached' }),
    431: error('The query is larger than 16 KiB together with the headers'),
  }
}

/** The same of its form. */
export function formPage(descriptions: Readonly<Record<number, string>>): Responses {
  const otherMedia = text('A page: another media type', 'text/html')
  return { ...browserPage(descriptions), 413: TOO_LARGE, 415: otherMedia }
}

/** The errors of an OAuth endpoint with a body. A rate limit names the seconds to wait (RFC 6585 4). */
export const BODY_ERRORS = {
  413: TOO_LARGE,
  415: error('The body must be application/x-www-form-urlencoded in UTF-8'),
  429: {
    ...error('Too many registrations from this address, or failed requests of this client from there'),
    headers: { 'Retry-After': header('Seconds to wait', 'integer') },
  },
  503: UNAVAILABLE,
}
export const CLIENT_ERRORS = {
  401: error('`invalid_client`: the client is unknown or did not authenticate'),
  ...BODY_ERRORS,
}
