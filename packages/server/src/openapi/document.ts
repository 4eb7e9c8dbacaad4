import type { OpenAPIHono } from '@hono/zod-openapi'
import type { BlankEnv } from 'hono/types'
import type { DescribedServer } from './described-server.ts'
import { oauthEndpoints } from './oauth-endpoints.ts'

/** What a service says of itself in the document. */
export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly license?: { readonly name: string; readonly url: string }
  /** Tags next to those of the server, with their descriptions. */
  readonly tags?: Readonly<Record<string, string>>
}

const TAGS = {
  OAuth: 'Register, authorize, exchange, refresh, revoke.',
  Discovery: 'Metadata documents for clients.',
  Pages: 'What a person sees in a browser.',
  Health: 'For operators.',
}

/** The OpenAPI 3.0 document of a service. @param app with all of its routes */
export function openApiDocument(
  app: OpenAPIHono<BlankEnv>,
  server: DescribedServer,
  { tags, ...info }: OpenApiInfo,
): object {
  const document = oauthEndpoints(server)
    .route('/', app)
    .getOpenAPIDocument({
      openapi: '3.0.3',
      info,
      servers: [{ url: server.baseUrl }],
      tags: Object.entries({ ...TAGS, ...tags }).map(([name, description]) => ({ name, description })),
    })
  const operations = Object.values(document.paths).flatMap<Operation>(Object.values)
  if (server.bindsTokens) addProofs(operations)
  return document
}

interface Operation {
  readonly operationId?: string
  readonly security?: readonly object[]
  parameters?: readonly object[]
}

const PROOF = {
  name: 'DPoP',
  in: 'header',
  required: false,
  description: 'A proof of the key that the tokens are bound to (RFC 9449 4)',
  schema: { type: 'string' },
}

/** The token request and every operation with an access token have a `DPoP` header. */
function addProofs(operations: readonly Operation[]): void {
  for (const operation of operations) {
    const { operationId, security = [], parameters = [] } = operation
    const takesToken = security.some((scheme) => Object.hasOwn(scheme, 'oauth2'))
    if (takesToken || operationId === 'exchangeToken') operation.parameters = [...parameters, PROOF]
  }
}
