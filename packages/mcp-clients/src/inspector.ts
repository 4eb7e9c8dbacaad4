import type { McpClient } from './mcp-client.ts'

/** It was challenged by a server that lists no scopes, so it registers an empty one and asks for none. */
export const inspector: McpClient = {
  name: 'MCP Inspector',
  version: '2.12.0',
  date: '2026-11-22',
  source: 'its requests to an MCP server on Grantkit that lists no scopes, from the command line',
  tried:
    'from the command line: signs in and calls tools; refreshes when a tool needs more scopes, and gives up',
  redirectUri: 'http://127.0.0.1:{port}/oauth/callback',
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

{"redirect_uris":["{redirect_uri}"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"client_name":"MCP Inspector","client_uri":"https://github.com/modelcontextprotocol/inspector","scope":"","application_type":"native"}`,
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&code_challenge={code_challenge}&code_challenge_method=S256&redirect_uri={redirect_uri}&state={state}&resource={resource}',
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

{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/skills":{}}},"clientInfo":{"name":"inspector-cli","version":"2.12.0"}},"jsonrpc":"2.0","id":1}`,
  },
}
