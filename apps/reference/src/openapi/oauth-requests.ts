import { messages } from '@grantkit/core'
import { type Json, schemaOf } from './operation.ts'

interface ObjectSchema {
  readonly type: string
  readonly properties: { readonly [name: string]: Json }
  readonly required?: readonly string[]
}

/** What clients send, out of the very schemas that the endpoints validate with. */
const MESSAGES = Object.fromEntries(
  Object.entries(messages).map(([name, schema]) => [name, schemaOf(schema)]),
) as unknown as { readonly [Name in keyof typeof messages]: ObjectSchema }

const { client_id = {}, client_secret = {} } = MESSAGES.ClientCredentials.properties

/** The requests of the OAuth endpoints, as components of the document. */
export const REQUEST_SCHEMAS: { readonly [name: string]: Json } = {
  ClientRegistration: { ...MESSAGES.ClientMetadata },
  CodeExchange: clientForm(MESSAGES.AuthorizationCodeRequest, 'authorization_code'),
  Refresh: clientForm(MESSAGES.RefreshTokenRequest, 'refresh_token'),
  Revocation: clientForm(MESSAGES.RevocationRequest),
  IntrospectionQuery: clientForm(MESSAGES.IntrospectionRequest),
}

/** A form of an endpoint, with the credentials that every client sends in it (RFC 6749 2.3.1). */
function clientForm({ properties, required = [] }: ObjectSchema, grantType?: string): Json {
  const grant = grantType === undefined ? {} : { grant_type: { type: 'string', enum: [grantType] } }
  return {
    type: 'object',
    properties: { ...grant, client_id, client_secret, ...properties },
    required: [...Object.keys(grant), 'client_id', ...required],
  }
}

/** Read only to be refused. */
const {
  request: _,
  request_uri: __,
  registration: ___,
  ...asked
} = MESSAGES.AuthorizationParameters.properties
const AUTHORIZATION = { client_id: { type: 'string' }, redirect_uri: { type: 'string' }, ...asked }
/** What a client has to send, though the server answers most of its absence by redirect. */
const REQUIRED = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'code_challenge',
  'code_challenge_method',
]

/** The authorization request as a form (OpenID Connect Core 3.1.2.1). */
export const AUTHORIZATION_FORM: Json = { type: 'object', properties: AUTHORIZATION, required: REQUIRED }

/** The authorization request as a query (RFC 6749 4.1.1). */
export const AUTHORIZATION_PARAMETERS: readonly Json[] = Object.entries(AUTHORIZATION).map(
  ([name, schema]) => ({
    name,
    in: 'query',
    required: REQUIRED.includes(name),
    schema,
  }),
)
