import { ClientCredentials, type ServerDescription } from '@grantkit/core/feature'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { z } from 'zod'
import type { Operation } from './describe.ts'

/** Schemas of requests, generated from the schemas that validate them. */

export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: string[]
}

/** @param message `undefined` if the endpoint has no body */
export function objectSchema(message: z.ZodType | undefined): ObjectSchema {
  if (message === undefined) return { type: 'object', properties: {} }
  const options = { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' } as const
  const { $schema: _, ...schema } = z.toJSONSchema(message, options)
  return schema as unknown as ObjectSchema
}

/** The message of an endpoint. @param metadataName the metadata member that holds its address (RFC 8414 2) */
export function messageOf({ endpoints }: ServerDescription, metadataName: string): ObjectSchema | undefined {
  const endpoint = endpoints.find((one) => one.metadataName === metadataName)
  return endpoint?.message && objectSchema(endpoint.message)
}

const { client_id = {}, client_secret = {}, ...assertion } = objectSchema(ClientCredentials).properties

/** A form of an endpoint, with the client credentials (RFC 6749 2.3.1, RFC 7521 4.2: an assertion names the client). */
export function clientForm(
  { properties, required = [] }: ObjectSchema,
  { clientAuthMethods }: ServerDescription,
  grantType?: string,
): ObjectSchema {
  const grant = grantType === undefined ? {} : { grant_type: { type: 'string', enum: [grantType] } }
  const asserted = clientAuthMethods.some(({ carrier }) => carrier === 'client_assertion')
  const credentials = { client_id, client_secret, ...(asserted ? assertion : {}) }
  const needed = [...Object.keys(grant), ...(asserted ? [] : ['client_id']), ...required]
  return {
    type: 'object',
    properties: { ...grant, ...credentials, ...properties },
    // An empty list is not valid (JSON Schema Validation 5.15).
    ...(needed.length > 0 && { required: needed }),
  }
}

/** The token requests, one for each grant type, by the names of their schemas. */
export function tokenRequests(mounted: ServerDescription): Readonly<Record<string, ObjectSchema>> {
  const forms = mounted.grantTypes.map(({ name, message }) => [
    // A valid name (OpenAPI 3.0 4.7.7): a grant type may be a URN.
    EXCHANGE_NAMES[name] ?? name.replaceAll(/[^A-Za-z0-9]+/g, '_'),
    clientForm(objectSchema(message), mounted, name),
  ])
  return Object.fromEntries(forms)
}

const EXCHANGE_NAMES: Readonly<Record<string, string>> = {
  authorization_code: 'CodeExchange',
  refresh_token: 'Refresh',
  [TOKEN_EXCHANGE]: 'TokenExchange',
  'urn:ietf:params:oauth:grant-type:device_code': 'DeviceCodeExchange',
  client_credentials: 'MachineTokens',
}

/** The registration request. Many clients send unset members as `null` or as an empty string: both count as absent. */
export function registrationRequest(mounted: ServerDescription): ObjectSchema | undefined {
  const message = messageOf(mounted, 'registration_endpoint')
  if (message === undefined) return undefined
  const { properties, required = [], ...rest } = message
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : orUnset(schema),
  ])
  return { ...rest, properties: Object.fromEntries(members), required }
}

function orUnset(schema: {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly minLength?: number
}) {
  const { minLength: _, ...rest } = schema
  const unset = { ...rest, nullable: true }
  if (schema.type !== 'string') return { anyOf: [unset, { type: 'string', enum: [''] }] }
  return Array.isArray(schema.enum) ? { ...unset, enum: [...schema.enum, '', null] } : unset
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

/** The authorization request as a form (OpenID Connect Core 3.1.2.1). */
export function authorizationForm(mounted: ServerDescription): ObjectSchema {
  // Leaves out three parameters that are always rejected.
  const {
    request: _,
    request_uri: __,
    registration: ___,
    ...supported
  } = messageOf(mounted, 'authorization_endpoint')?.properties ?? {}
  const pushes = messageOf(mounted, 'pushed_authorization_request_endpoint') !== undefined
  const text = { type: 'string' }
  const properties = {
    client_id: text,
    redirect_uri: text,
    ...supported,
    ...(pushes && { request_uri: text }),
  }
  return { type: 'object', properties, required: pushes ? ['client_id'] : REQUIRED }
}

/** The same as a query (RFC 6749 4.1.1). */
export function queryOf({ properties, required = [] }: ObjectSchema): Operation['parameters'] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}
