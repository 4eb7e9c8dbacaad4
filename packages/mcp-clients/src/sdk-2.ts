import type { McpClient } from './mcp-client.ts'

export const sdk2: McpClient = {
  name: 'MCP TypeScript SDK',
  version: '2.4.0',
  date: '2026-11-22',
  source: 'its requests to an MCP server on Grantkit',
  tried:
    'in both protocols: signs in, and asks for more when a tool needs it; by the document of its app (`clientMetadataUrl`): signs in, calls a tool and refreshes',
  redirectUri: 'http://localhost:{port}/callback',
  reads: { registration: ['redirect_uris'], callback: ['iss'] },
  requests: {
    resourceMetadata: `
GET {resource_metadata}
MCP-Protocol-Version: 2025-11-25
accept: */*
user-agent: node`,
    serverMetadata: `
GET {server_metadata}
MCP-Protocol-Version: 2025-11-25
Accept: application/json
user-agent: node`,
    registration: `
POST {registration_endpoint}
Content-Type: application/json
accept: */*
user-agent: node

{"client_name":"Notes","redirect_uris":["{redirect_uri}"],"grant_types":["authorization_code","refresh_token"],"application_type":"native","scope":"{scope}"}`,
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&code_challenge={code_challenge}&code_challenge_method=S256&redirect_uri={redirect_uri}&scope={scope}&resource={resource}',
    token: `
POST {token_endpoint}
Content-Type: application/x-www-form-urlencoded
Accept: application/json
user-agent: node

grant_type=authorization_code&code={code}&code_verifier={code_verifier}&redirect_uri={redirect_uri}&resource={resource}&client_id={client_id}`,
    refresh: `
POST {token_endpoint}
Content-Type: application/x-www-form-urlencoded
Accept: application/json
user-agent: node

grant_type=refresh_token&refresh_token={refresh_token}&resource={resource}&client_id={client_id}`,
    call: `
POST {resource}
Authorization: Bearer {access_token}
mcp-protocol-version: 2026-07-28
mcp-method: server/discover
content-type: application/json
accept: application/json, text/event-stream
user-agent: node

{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"Notes","version":"2.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
    toolCall: `
POST {resource}
Authorization: Bearer {access_token}
mcp-protocol-version: 2026-07-28
mcp-method: tools/call
mcp-name: {tool}
content-type: application/json
accept: application/json, text/event-stream
user-agent: node

{"method":"tools/call","params":{"name":"{tool}","arguments":{arguments},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"Notes","version":"2.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}},"jsonrpc":"2.0","id":1}`,
  },
}
