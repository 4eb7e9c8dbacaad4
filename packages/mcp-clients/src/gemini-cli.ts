import type { McpClient } from './mcp-client.ts'

/** Where the resource lists no scopes, it asks for all that the server lists: `{all_scopes}`. */
export const geminiCli: McpClient = {
  name: 'Gemini CLI',
  version: '0.61.0',
  date: '2026-11-22',
  source: 'its requests to an MCP server on Grantkit',
  tried:
    'signs in where the server challenges HEAD too, for all scopes that the resource lists, or else the server; connects without a token where the server lets everybody in',
  redirectUri: 'http://localhost:{port}/oauth/callback',
  requests: {
    probe: `
HEAD {resource}
Accept: application/json
user-agent: node`,
    resourceMetadata: `
GET {resource_metadata}
accept: */*
user-agent: node`,
    serverMetadata: `
GET {server_metadata}
accept: */*
user-agent: node`,
    registration: `
POST {registration_endpoint}
Content-Type: application/json
accept: */*
user-agent: node

{"client_name":"Gemini CLI MCP Client","redirect_uris":["{redirect_uri}"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","scope":"{all_scopes}"}`,
    authorization:
      '{authorization_endpoint}?client_id={client_id}&response_type=code&redirect_uri={redirect_uri}&state={state}&code_challenge={code_challenge}&code_challenge_method=S256&scope={all_scopes}&resource={resource}',
    token: `
POST {token_endpoint}
Content-Type: application/x-www-form-urlencoded
Accept: application/json, application/x-www-form-urlencoded
user-agent: node

grant_type=authorization_code&code={code}&redirect_uri={redirect_uri}&code_verifier={code_verifier}&client_id={client_id}&resource={resource}`,
    call: `
POST {resource}
Authorization: Bearer {access_token}
content-type: application/json
accept: application/json, text/event-stream
user-agent: node

{"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"gemini-cli-mcp-client","version":"0.61.0"}},"jsonrpc":"2.0","id":0}`,
  },
}
