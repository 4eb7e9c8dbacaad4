import type { ScopeDefinition } from '@grantkit/core'
import { ClientCredentials, inLanguage, type ServerDescription } from '@grantkit/core/internal'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import type { KnownClient } from '@grantkit/known-clients'
import { type RouteConfig, z } from '@grantkit/server/routes'

/** Schemas of requests, generated from the zod schemas that validate them. */

export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Member>>
  readonly required?: string[]
}
interface Member {
  readonly type?: 'object' | 'array' | 'string' | 'boolean'
  readonly minLength?: number
  readonly enum?: unknown[]
  readonly anyOf?: Member[]
}

/** By the converter of zod: it has one for every schema that a feature may bring. */
export function schemaOf(message: z.ZodType): ObjectSchema {
  const options = { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' } as const
  const { $schema: _, ...schema } = z.toJSONSchema(message, options)
  return schema as unknown as ObjectSchema
}

export function messageOf({ endpoints }: ServerDescription, metadataName: string): z.ZodType | undefined {
  return endpoints.find((endpoint) => endpoint.metadataName === metadataName)?.message
}

/** A form with the client credentials (RFC 6749 2.3.1). An assertion names the client itself (RFC 7521 4.2). */
export function clientForm(
  message: z.ZodType | undefined,
  { clientAuthMethods }: ServerDescription,
  grantType?: string,
): ObjectSchema {
  const { client_id, client_secret, ...assertion } = ClientCredentials.shape
  const asserts = clientAuthMethods.some(({ carrier }) => carrier === 'client_assertion')
  const form = z.object({
    ...(grantType !== undefined && { grant_type: z.literal(grantType) }),
    ...(asserts
      ? { client_id, client_secret, ...assertion }
      : { client_id: client_id.unwrap(), client_secret }),
    ...(message instanceof z.ZodObject && message.shape),
  })
  return schemaOf(form)
}

/** The token requests, one for each grant type, by the names of their schemas. */
export function tokenRequests(server: ServerDescription): (readonly [string, ObjectSchema])[] {
  return server.grantTypes.map(({ name, message }) => [
    // A valid name (OpenAPI 3.0 4.7.7): a grant type may be a URN.
    TOKEN_REQUESTS[name] ?? name.replaceAll(/[^A-Za-z0-9]+/g, '_'),
    clientForm(message, server, name),
  ])
}

const TOKEN_REQUESTS: Readonly<Record<string, string>> = {
  authorization_code: 'CodeExchange',
  refresh_token: 'Refresh',
  [TOKEN_EXCHANGE]: 'TokenExchange',
  'urn:ietf:params:oauth:grant-type:device_code': 'DeviceCodeExchange',
  'urn:openid:params:grant-type:ciba': 'BackchannelExchange',
  client_credentials: 'ClientCredentials',
}

/** The registration request. Many clients send unset members as `null` or as an empty string: both count as absent. */
export function registrationRequest(message: z.ZodType): ObjectSchema {
  const { properties, required = [], ...rest } = schemaOf(message)
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : orUnset(schema),
  ])
  return { ...rest, properties: Object.fromEntries(members), required }
}

function orUnset({ minLength: _, ...schema }: Member): Member {
  const unset = { ...schema, nullable: true }
  if (schema.type !== 'string') return { anyOf: [unset, { type: 'string', enum: [''] }] }
  return schema.enum === undefined ? unset : { ...unset, enum: [...schema.enum, '', null] }
}

/** The required parameters. Most missing ones are answered by redirect. */
const REQUIRED = [
  ...['response_type', 'client_id', 'redirect_uri', 'scope'],
  ...['code_challenge', 'code_challenge_method'],
]

const text = { type: 'string' } as const

/** Without the parameters that this server rejects. */
function supportedOf({ properties, ...rest }: ObjectSchema, { signsRequests }: DescribedServer) {
  const { request: _, request_uri: __, registration: ___, ...supported } = properties
  return { ...rest, properties: { ...supported, ...(signsRequests && { request: text }) } }
}

/** The authorization request (OpenID Connect Core 3.1.2.1). A pushed one is named by its `request_uri` (RFC 9126 4). */
export function authorizationRequest(server: DescribedServer): ObjectSchema {
  const { mounted, signsRequests } = server
  const message = messageOf(mounted, 'authorization_endpoint') ?? z.object({})
  const { properties: supported } = supportedOf(schemaOf(message), server)
  const pushes = messageOf(mounted, 'pushed_authorization_request_endpoint') !== undefined
  const properties = {
    client_id: text,
    redirect_uri: text,
    ...supported,
    ...(pushes && { request_uri: text }),
  }
  return { type: 'object', properties, required: pushes || signsRequests ? ['client_id'] : REQUIRED }
}

/** The same parameters, from the client itself (RFC 9126 2.1). */
export function pushedRequest(server: DescribedServer): ObjectSchema {
  const { mounted } = server
  const { properties, ...rest } = clientForm(messageOf(mounted, 'authorization_endpoint'), mounted)
  return supportedOf({ ...rest, properties: { ...properties, redirect_uri: text } }, server)
}

/** The members of a schema as parameters of a query (RFC 6749 4.1.1). */
export function queryOf({ properties, required = [] }: ObjectSchema) {
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema } as const
  })
}

/** The authorization server that the document describes. */
export interface DescribedServer {
  readonly baseUrl: string
  readonly scopes: Readonly<Record<string, ScopeDefinition>>
  /** The indicators of its resources, next to the base URL. */
  readonly resources: readonly string[]
  /** Whether DPoP is on. */
  readonly bindsTokens: boolean
  /** Whether request objects are on (RFC 9101). */
  readonly signsRequests: boolean
  /** Whether registration needs an initial access token. */
  readonly registersWithToken: boolean
  /** The known clients that may register their own redirect URIs. */
  readonly known: readonly KnownClient[]
  readonly mounted: ServerDescription
}

/** What core does not say of its endpoints, by method and path. */
export type Operations = Readonly<Record<string, Omit<Partial<RouteConfig>, 'method' | 'path'>>>

const WITH_TOKEN = ', with an initial access token of the operator'

/** The name of the scheme of the registration. */
export const INITIAL_ACCESS_TOKEN = 'initialAccessToken'

/** The security scheme of the registration, where it needs a token (RFC 7591 3). */
export const INITIAL_ACCESS_TOKEN_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An initial access token, which the operator hands out. Several clients may register with one.',
} as const

/** The security scheme of the operations with an access token. */
export function oauthScheme({ baseUrl, scopes, bindsTokens, mounted, registersWithToken }: DescribedServer) {
  const tokenUrl = `${baseUrl}/api/oauth/token`
  const registers = messageOf(mounted, 'registration_endpoint') !== undefined
  const clientCredentials = mounted.grantTypes.some(({ name }) => name === 'client_credentials')
  const own = registers ? ` Clients register themselves${registersWithToken ? WITH_TOKEN : ''}.` : ''
  const bound = bindsTokens ? ' A token can be bound to a key: its scheme is DPoP then (RFC 9449 7.1).' : ''
  const withoutUser = Object.entries(scopes).filter(([, { user }]) => user === false)
  return {
    type: 'oauth2',
    description: `Authorization Code with PKCE (S256).${own}${bound}`,
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: inEnglish(Object.entries(scopes)),
      },
      ...(clientCredentials && { clientCredentials: { tokenUrl, scopes: inEnglish(withoutUser) } }),
    },
  } as const
}

function inEnglish(scopes: readonly (readonly [string, ScopeDefinition])[]): Record<string, string> {
  return Object.fromEntries(scopes.map(([name, { description }]) => [name, inLanguage(description, 'en')]))
}
