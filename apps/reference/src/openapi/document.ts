import type { ScopeDefinition } from '@grantkit/core'
import type { ServerDescription } from '@grantkit/core/feature'
import { inLanguage } from '@grantkit/core/feature'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { SCOPES } from '../oauth/scopes.ts'
import { deviceOperations } from './device-operations.ts'
import { featureOperations } from './feature-operations.ts'
import { OAUTH_DOCUMENTS } from './oauth-documents.ts'
import { oauthOperations } from './oauth-operations.ts'
import { oauthRequests } from './oauth-requests.ts'
import { type Json, type Operation, TAGS } from './operation.ts'
import { optionalOperations } from './optional-operations.ts'
import { withProof } from './proofs.ts'
import { schemasWith } from './schemas.ts'

/**
 * The OpenAPI 3.0 description of the service at a base URL.
 *
 * @param mounted the description of its authorization server
 * @param operations the operations of all other routes
 * @param bindsTokens whether DPoP is on
 */
export function openApiDocument(
  baseUrl: string,
  mounted: ServerDescription,
  operations: readonly Operation[],
  bindsTokens = false,
): Json {
  const requests = oauthRequests(mounted)
  const registers = 'ClientRegistration' in requests.components
  const exchanges = mounted.grantTypes.some(({ name }) => name === TOKEN_EXCHANGE)
  const described = [
    ...oauthOperations(requests),
    ...optionalOperations(mounted),
    ...deviceOperations(mounted),
    ...OAUTH_DOCUMENTS,
    ...operations,
  ]
  const all = [...described, ...featureOperations(mounted, described)]
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
    paths: pathsOf(bindsTokens ? all.map(withProof) : all),
    components: {
      securitySchemes: { oauth2: oauthScheme(baseUrl, mounted, registers, bindsTokens) },
      schemas: { ...schemasWith({ exchanges, bindsTokens }), ...requests.components },
    },
  }
}

function oauthScheme(
  baseUrl: string,
  { grantTypes }: ServerDescription,
  registers: boolean,
  bindsTokens: boolean,
): Json {
  const tokenUrl = `${baseUrl}/api/oauth/token`
  const clientCredentials = grantTypes.some(({ name }) => name === 'client_credentials')
  const own = registers ? ' Clients register themselves.' : ''
  const bound = bindsTokens ? ' A token can be bound to a key: its scheme is DPoP then (RFC 9449 7.1).' : ''
  return {
    type: 'oauth2',
    description: `Authorization Code with PKCE (S256).${own}${bound}`,
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: described(Object.entries(SCOPES)),
      },
      ...(clientCredentials && {
        clientCredentials: { tokenUrl, scopes: described(CLIENT_CREDENTIALS_SCOPES) },
      }),
    },
  }
}

const CLIENT_CREDENTIALS_SCOPES = Object.entries(SCOPES).filter(([, { user }]) => user === false)

function described(scopes: readonly (readonly [string, ScopeDefinition])[]): Json {
  return Object.fromEntries(scopes.map(([name, { description }]) => [name, inLanguage(description, 'en')]))
}

function pathsOf(operations: readonly Operation[]): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const { path, method, tag, ...operation } of operations) {
    paths[path] = { ...paths[path], [method]: { tags: [tag], ...operation } as Json }
  }
  return paths
}
