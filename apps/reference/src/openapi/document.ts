import { SCOPES } from '../scopes.ts'
import { DOCUMENT_OPERATIONS } from './document-operations.ts'
import { MCP_OPERATIONS } from './mcp-operations.ts'
import { OAUTH_OPERATIONS } from './oauth-operations.ts'
import { REQUEST_SCHEMAS } from './oauth-requests.ts'
import { type Json, type Operation, TAGS } from './operation.ts'
import { SCHEMAS } from './schemas.ts'
import { SCHOOL_OPERATIONS } from './school-operations.ts'

const OPERATIONS: readonly Operation[] = [
  ...OAUTH_OPERATIONS,
  ...SCHOOL_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...MCP_OPERATIONS,
]

/** The OpenAPI 3.0 description of the service at a base URL. */
export function openApiDocument(baseUrl: string): Json {
  return {
    openapi: '3.0.3',
    info: {
      title: 'Harbour School',
      version: '1.0.0',
      description: `An online school with an API. How to get a token: ${baseUrl}/auth.md`,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(OPERATIONS),
    components: {
      securitySchemes: { oauth2: oauthScheme(baseUrl) },
      schemas: { ...SCHEMAS, ...REQUEST_SCHEMAS },
    },
  }
}

function oauthScheme(baseUrl: string): Json {
  return {
    type: 'oauth2',
    description: 'Authorization Code with PKCE (S256). Clients register themselves.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl: `${baseUrl}/api/oauth/token`,
        refreshUrl: `${baseUrl}/api/oauth/token`,
        scopes: Object.fromEntries(
          Object.entries(SCOPES).map(([name, { description }]) => [name, description]),
        ),
      },
    },
  }
}

function pathsOf(operations: readonly Operation[]): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const { path, method, tag, ...operation } of operations) {
    paths[path] = { ...paths[path], [method]: { tags: [tag], ...operation } as Json }
  }
  return paths
}
