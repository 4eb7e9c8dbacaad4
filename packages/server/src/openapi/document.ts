import type { ScopeDefinition } from '@grantkit/core'
import { inLanguage, type ServerDescription } from '@grantkit/core/feature'
import type { KnownClient } from '@grantkit/core/known-clients'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Operation } from './describe.ts'
import { type NamedRequests, oauthOperations, resourceDocuments } from './oauth-operations.ts'
import { clientForm, messageOf, objectSchema, registrationRequest, tokenRequests } from './oauth-requests.ts'
import { optionalOperations, otherOperations } from './optional-operations.ts'

/** What a service says of itself in the document. */
export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly license?: { readonly name: string; readonly url: string }
  /** Tags next to those of the server, with their descriptions. */
  readonly tags?: Readonly<Record<string, string>>
}

interface Described {
  readonly baseUrl: string
  readonly scopes: Readonly<Record<string, ScopeDefinition>>
  /** The indicators of its resources, next to the base URL. */
  readonly resources: readonly string[]
  /** Whether DPoP is on. */
  readonly bindsTokens: boolean
  /** The known clients that may register their own redirect URIs. */
  readonly known: readonly KnownClient[]
}

const TAGS = {
  OAuth: 'Register, authorize, exchange, refresh, revoke.',
  Discovery: 'Metadata documents for clients.',
  Pages: 'What a person sees in a browser.',
  Health: 'For operators.',
}

/**
 * The OpenAPI 3.0 description of the service.
 *
 * @param mounted the description of its authorization server
 * @param operations the operations of all other routes
 */
export function openApiDocument(
  { baseUrl, scopes, resources, bindsTokens, known }: Described,
  { tags, ...info }: OpenApiInfo,
  mounted: ServerDescription,
  operations: readonly Operation[],
): object {
  const app = new OpenAPIHono()
  const { openAPIRegistry: registry } = app
  const named = (name: string, schema: object) => registry.registerComponent('schemas', name, schema).ref
  const exchanges = mounted.grantTypes.some(({ name }) => name === TOKEN_EXCHANGE)
  const described = [
    ...oauthOperations(mounted, namedRequests(mounted, named), { exchanges, bindsTokens }, known),
    ...resourceDocuments(baseUrl, resources),
    ...optionalOperations(mounted),
    ...operations,
  ]
  const all = [...described, ...otherOperations(mounted, described)]
  for (const operation of all) registry.registerPath(bindsTokens ? withProof(operation) : operation)
  registry.registerComponent(
    'securitySchemes',
    'oauth2',
    oauthScheme({ baseUrl, scopes, bindsTokens }, mounted),
  )
  return app.getOpenAPIDocument({
    openapi: '3.0.3',
    info,
    servers: [{ url: baseUrl }],
    tags: Object.entries({ ...TAGS, ...tags }).map(([name, description]) => ({ name, description })),
  })
}

/** @param named adds a schema to the document, and returns a reference to it */
function namedRequests(
  mounted: ServerDescription,
  named: (name: string, schema: object) => { $ref: string },
): NamedRequests {
  const registration = registrationRequest(mounted)
  const form = (name: string) => clientForm(messageOf(mounted, name) ?? objectSchema(undefined), mounted)
  return {
    registration: registration && named('ClientRegistration', registration),
    exchanges: Object.entries(tokenRequests(mounted)).map(([name, schema]) => named(name, schema)),
    revocation: named('Revocation', form('revocation_endpoint')),
    introspection: named('IntrospectionQuery', form('introspection_endpoint')),
  }
}

/** An operation with DPoP: the token request and every operation with an access token have a `DPoP` header. */
function withProof(operation: Operation): Operation {
  const { operationId, security = [], parameters = [] } = operation
  const takesToken = security.some((needed) => Object.hasOwn(needed, 'oauth2'))
  if (operationId !== 'exchangeToken' && !takesToken) return operation
  const description = 'A proof of the key that the tokens are bound to (RFC 9449 4)'
  const proof = {
    name: 'DPoP',
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  } as const
  return { ...operation, parameters: [...parameters, proof] as never }
}

function oauthScheme(
  { baseUrl, scopes, bindsTokens }: Omit<Described, 'resources' | 'known'>,
  mounted: ServerDescription,
) {
  const tokenUrl = `${baseUrl}/api/oauth/token`
  const registers = messageOf(mounted, 'registration_endpoint') !== undefined
  const clientCredentials = mounted.grantTypes.some(({ name }) => name === 'client_credentials')
  const own = registers ? ' Clients register themselves.' : ''
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
