import { ClientCredentials, type ServerDescription } from '@grantkit/core/feature'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { type Json, schemaOf } from './operation.ts'

type JsonObject = { readonly [name: string]: Json }

interface ObjectSchema {
  readonly type: string
  readonly properties: { readonly [name: string]: Json }
  readonly required?: readonly string[]
}

/** The requests of the OAuth endpoints. */
export interface OAuthRequests {
  /**
   * Named schemas, generated from the schemas that validate the requests. `ClientRegistration` is absent without
   * dynamic client registration.
   */
  readonly components: { readonly [name: string]: Json }
  /** The components of the token requests, one per grant type. */
  readonly exchanges: readonly string[]
  /** The authorization request as a form (OpenID Connect Core 3.1.2.1). */
  readonly authorizationForm: Json
  /** The authorization request as a query (RFC 6749 4.1.1). */
  readonly authorizationParameters: readonly Json[]
}

export function oauthRequests({
  endpoints,
  grantTypes,
  clientAuthMethods,
}: ServerDescription): OAuthRequests {
  const messageOf = (metadataName: string) =>
    objectSchema(endpoints.find((endpoint) => endpoint.metadataName === metadataName)?.message)
  const registration = endpoints.find(({ metadataName }) => metadataName === 'registration_endpoint')?.message
  const exchanges = grantTypes.map(({ name, message }): [string, Json] => [
    EXCHANGE_NAMES[name] ?? componentName(name),
    clientForm(objectSchema(message), clientAuthMethods, name),
  ])
  const pushes = endpoints.some(
    ({ metadataName }) => metadataName === 'pushed_authorization_request_endpoint',
  )
  const plain = authorizationProperties(messageOf('authorization_endpoint'))
  const authorization = pushes ? { ...plain, request_uri: { type: 'string' } } : plain
  const needed = pushes ? ['client_id'] : REQUIRED
  return {
    components: {
      ...(registration && { ClientRegistration: forgiving(objectSchema(registration)) }),
      ...Object.fromEntries(exchanges),
      Revocation: clientForm(messageOf('revocation_endpoint'), clientAuthMethods),
      IntrospectionQuery: clientForm(messageOf('introspection_endpoint'), clientAuthMethods),
    },
    exchanges: exchanges.map(([name]) => name),
    authorizationForm: { type: 'object', properties: authorization, required: needed },
    authorizationParameters: Object.entries(authorization).map(([name, schema]) => ({
      name,
      in: 'query',
      required: needed.includes(name),
      schema,
    })),
  }
}

/** Many clients send unset members as `null` or as an empty string: both count as absent. */
function forgiving({ properties, required = [], ...rest }: ObjectSchema): Json {
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : orUnset(schema as JsonObject),
  ])
  return { ...rest, properties: Object.fromEntries(members), required }
}

function orUnset(schema: JsonObject): Json {
  const { minLength: _, ...rest } = schema
  const unset = { ...rest, nullable: true }
  if (schema.type !== 'string') return { anyOf: [unset, { type: 'string', enum: [''] }] }
  return Array.isArray(schema.enum) ? { ...unset, enum: [...schema.enum, '', null] } : unset
}

const EXCHANGE_NAMES: Readonly<Record<string, string>> = {
  authorization_code: 'CodeExchange',
  refresh_token: 'Refresh',
  [TOKEN_EXCHANGE]: 'TokenExchange',
  'urn:ietf:params:oauth:grant-type:device_code': 'DeviceCodeExchange',
  client_credentials: 'MachineTokens',
}

/** A valid component name (OpenAPI 3.0 4.7.7): a grant type may be a URN. */
function componentName(grantType: string): string {
  return grantType.replaceAll(/[^A-Za-z0-9]+/g, '_')
}

/** @param message `undefined` if the endpoint has no body */
export function objectSchema(message: Parameters<typeof schemaOf>[0] | undefined): ObjectSchema {
  if (message === undefined) return { type: 'object', properties: {} }
  return schemaOf(message) as unknown as ObjectSchema
}

const { client_id = {}, client_secret = {}, ...assertion } = objectSchema(ClientCredentials).properties

/** A form of an endpoint, with the client credentials (RFC 6749 2.3.1, RFC 7521 4.2: an assertion names the client). */
export function clientForm(
  { properties, required = [] }: ObjectSchema,
  methods: ServerDescription['clientAuthMethods'],
  grantType?: string,
): Json {
  const grant = grantType === undefined ? {} : { grant_type: { type: 'string', enum: [grantType] } }
  const asserted = methods.some(({ carrier }) => carrier === 'client_assertion')
  const credentials = { client_id, client_secret, ...(asserted ? assertion : {}) }
  return {
    type: 'object',
    properties: { ...grant, ...credentials, ...properties },
    required: [...Object.keys(grant), ...(asserted ? [] : ['client_id']), ...required],
  }
}

function authorizationProperties({ properties }: ObjectSchema): { readonly [name: string]: Json } {
  // Leaves out three parameters that are always rejected.
  const { request: _, request_uri: __, registration: ___, ...supported } = properties
  return { client_id: { type: 'string' }, redirect_uri: { type: 'string' }, ...supported }
}

/** The required parameters. Most missing ones are answered by redirect. */
const REQUIRED = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'code_challenge',
  'code_challenge_method',
]
