import type { McpClient } from './mcp-client.ts'

export const opencode: McpClient = {
  name: 'opencode',
  version: '1.18.33',
  date: '2026-11-22',
  source: 'its requests to an MCP server on Grantkit',
  tried: 'by registration: signs in and refreshes; refreshes when a tool needs more scopes, and gives up',
  known: 'opencode',
  redirectUri: 'http://127.0.0.1:19876/mcp/oauth/callback',
  reads: { registration: ['redirect_uris'] },
  requests: {
    resourceMetadata: `
GET {resource_metadata}
MCP-Protocol-Version: 2025-11-25
User-Agent: opencode/1.18.33
Accept: */*`,
    serverMetadata: `
GET {server_metadata}
Accept: application/json
MCP-Protocol-Version: 2025-11-25
User-Agent: opencode/1.18.33`,
    registration: `
POST {registration_endpoint}
Content-Type: application/json
User-Agent: opencode/1.18.33
Accept: */*

{"redirect_uris":["{redirect_uri}"],"client_name":"OpenCode","client_uri":"https://opencode.ai","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","scope":"{scope}"}`,
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&code_challenge={code_challenge}&code_challenge_method=S256&redirect_uri={redirect_uri}&state={state}&scope={scope}&resource={resource}',
    token: `
POST {token_endpoint}
Accept: application/json
Content-Type: application/x-www-form-urlencoded
User-Agent: opencode/1.18.33

grant_type=authorization_code&code={code}&code_verifier={code_verifier}&redirect_uri={redirect_uri}&resource={resource}&client_id={client_id}`,
    refresh: `
POST {token_endpoint}
Accept: application/json
Content-Type: application/x-www-form-urlencoded
User-Agent: opencode/1.18.33

grant_type=refresh_token&refresh_token={refresh_token}&resource={resource}&client_id={client_id}`,
    call: `
POST {resource}
Accept: application/json, text/event-stream
Authorization: Bearer {access_token}
Content-Type: application/json
User-Agent: opencode/1.18.33

{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"opencode","version":"1.18.33"}},"jsonrpc":"2.0","id":0}`,
  },
}
