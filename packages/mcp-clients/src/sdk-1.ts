import type { McpClient } from './mcp-client.ts'

export const sdk1: McpClient = {
  name: 'MCP TypeScript SDK',
  version: '1.32.2',
  date: '2026-11-22',
  source: 'its requests to an MCP server on Grantkit',
  tried: 'signs in, and asks for more when a tool needs it; with a refresh token it refreshes instead',
  redirectUri: 'http://localhost:{port}/callback',
  reads: { registration: ['redirect_uris'] },
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

{"client_name":"Notes","redirect_uris":["{redirect_uri}"],"grant_types":["authorization_code"],"scope":"{scope}"}`,
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&code_challenge={code_challenge}&code_challenge_method=S256&redirect_uri={redirect_uri}&scope={scope}&resource={resource}',
    token: `
POST {token_endpoint}
Content-Type: application/x-www-form-urlencoded
Accept: application/json
user-agent: node

grant_type=authorization_code&code={code}&code_verifier={code_verifier}&redirect_uri={redirect_uri}&resource={resource}&client_id={client_id}`,
    call: `
POST {resource}
Authorization: Bearer {access_token}
content-type: application/json
accept: application/json, text/event-stream
user-agent: node

{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"Notes","version":"1.0.0"}},"jsonrpc":"2.0","id":0}`,
    toolCall: `
POST {resource}
Authorization: Bearer {access_token}
mcp-protocol-version: 2025-11-25
content-type: application/json
accept: application/json, text/event-stream
user-agent: node

{"method":"tools/call","params":{"name":"{tool}","arguments":{arguments}},"jsonrpc":"2.0","id":2}`,
  },
}
