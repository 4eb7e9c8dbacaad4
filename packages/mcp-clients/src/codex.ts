import type { McpClient } from './mcp-client.ts'
import { publishedDocument } from './published-document.ts'

export const codex: McpClient = {
  name: 'Codex',
  version: '0.169.0',
  date: '2026-11-22',
  source:
    'its requests to two MCP servers on Grantkit; the document as published in August to October 2026, which it uses where the metadata promises `iss`',
  tried:
    'by registration: signs in and refreshes; registers anew at each sign-in; says that a tool needs more scopes, and its user asks for them at a new sign-in (`--scopes`)',
  known: 'codex',
  redirectUri: 'http://127.0.0.1:{port}/callback',
  document: publishedDocument('https://chatgpt.com/oauth/codex/client.json'),
  reads: { serverMetadata: ['authorization_response_iss_parameter_supported'], callback: ['iss'] },
  requests: {
    probe: `
GET {resource}
user-agent: codex-mcp-client/0.169.0
mcp-protocol-version: 2024-11-05
accept: */*`,
    resourceMetadata: `
GET {resource_metadata}
user-agent: codex-mcp-client/0.169.0
mcp-protocol-version: 2024-11-05
accept: */*`,
    serverMetadata: `
GET {server_metadata}
user-agent: codex-mcp-client/0.169.0
mcp-protocol-version: 2024-11-05
accept: */*`,
    registration: `
POST {registration_endpoint}
user-agent: codex-mcp-client/0.169.0
content-type: application/json
accept: */*

{"client_name":"Codex","redirect_uris":["{redirect_uri}"],"grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"none","response_types":["code"],"scope":"{scopes_supported}","application_type":"native"}`,
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&state={state}&code_challenge={code_challenge}&code_challenge_method=S256&redirect_uri={redirect_uri}&scope={scopes_supported}&resource={resource}',
    token: `
POST {token_endpoint}
user-agent: codex-mcp-client/0.169.0
accept: application/json
content-type: application/x-www-form-urlencoded

grant_type=authorization_code&code={code}&code_verifier={code_verifier}&client_id={client_id}&redirect_uri={redirect_uri}&resource={resource}`,
    refresh: `
POST {token_endpoint}
user-agent: codex-mcp-client/0.169.0
accept: application/json
content-type: application/x-www-form-urlencoded

grant_type=refresh_token&refresh_token={refresh_token}&scope={granted_scope}&client_id={client_id}&resource={resource}`,
    call: `
POST {resource}
user-agent: codex-mcp-client/0.169.0
accept: text/event-stream, application/json
content-type: application/json
authorization: Bearer {access_token}

{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"codex-mcp-client","title":"Codex","version":"0.169.0"}}}`,
  },
}
