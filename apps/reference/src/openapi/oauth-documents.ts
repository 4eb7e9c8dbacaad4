import { forAnybody, type Json, jsonAnswer, type Operation, ref } from './operation.ts'

/** The operations of the metadata documents. */
export const OAUTH_DOCUMENTS: readonly Operation[] = [
  document(
    '/.well-known/oauth-authorization-server',
    'serverMetadata',
    'Server metadata (RFC 8414)',
    ref('ServerMetadata'),
  ),
  document(
    '/.well-known/openid-configuration',
    'openIdConfiguration',
    'OpenID Connect Discovery',
    ref('ServerMetadata'),
  ),
  document(
    '/.well-known/oauth-protected-resource',
    'resourceMetadata',
    'Protected-resource metadata (RFC 9728)',
    ref('ResourceMetadata'),
  ),
  document(
    '/.well-known/oauth-protected-resource/mcp',
    'mcpResourceMetadata',
    'The same for /mcp',
    ref('ResourceMetadata'),
  ),
  document('/api/oauth/jwks', 'keySet', 'Public signing keys (RFC 7517)', ref('KeySet')),
]

function document(path: string, operationId: string, summary: string, schema: Json): Operation {
  const responses = { '200': jsonAnswer(summary, schema), '304': { description: 'It has not changed' } }
  return { path, method: 'get', ...forAnybody('Discovery', operationId, summary, responses) }
}
