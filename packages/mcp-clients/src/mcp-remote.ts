import type { McpClient } from './mcp-client.ts'

export const mcpRemote: McpClient = {
  name: 'mcp-remote',
  version: '0.15.1',
  date: '2026-11-22',
  source: 'its requests to an MCP server on Grantkit',
  tried: 'signs in, and asks for more when a tool needs it',
  redirectUri: 'http://localhost:{port}/oauth/callback',
  requests: {
    probe: `
GET {resource}
Accept: application/json, text/event-stream
user-agent: undici`,
    resourceMetadata: `
GET {resource_metadata}
Accept: application/json
user-agent: node`,
    serverMetadata: `
GET {server_metadata}
Accept: application/json
user-agent: node`,
    registration: `
POST {registration_endpoint}
Content-Type: application/json
accept: */*
user-agent: undici

{"redirect_uris":["{redirect_uri}"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"client_name":"MCP CLI Proxy","client_uri":"https://github.com/modelcontextprotocol/mcp-cli","software_id":"2e6dc280-f3c3-4e01-99a7-8181dbd1d23d","software_version":"0.15.1","scope":"{scope}","application_type":"native"}`,
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&code_challenge={code_challenge}&code_challenge_method=S256&redirect_uri={redirect_uri}&state={state}&scope={scope}&resource={resource}',
    token: `
POST {token_endpoint}
accept: application/json
content-type: application/x-www-form-urlencoded
user-agent: undici

grant_type=authorization_code&code={code}&code_verifier={code_verifier}&redirect_uri={redirect_uri}&resource={resource}&client_id={client_id}`,
    call: `
POST {resource}
accept: application/json, text/event-stream
authorization: Bearer {access_token}
content-type: application/json
Mcp-Method: initialize
user-agent: undici

{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcp-remote-fallback-test","version":"0.0.0"}},"jsonrpc":"2.0","id":0}`,
    toolCall: `
POST {resource}
accept: application/json, text/event-stream
authorization: Bearer {access_token}
content-type: application/json
mcp-protocol-version: 2025-11-25
Mcp-Method: tools/call
Mcp-Name: {tool}
user-agent: undici

{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"{tool}","arguments":{arguments}}}`,
  },
}
