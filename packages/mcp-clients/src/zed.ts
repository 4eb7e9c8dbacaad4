import type { McpClient } from './mcp-client.ts'

export const zed: McpClient = {
  name: 'Zed',
  version: 'main',
  date: '2026-11-23',
  source:
    'zed-industries/zed, crates/context_server/src/oauth.rs as of 2026 (registration, authorization, token, refresh). The whole of its document is not published',
  known: 'zed',
  redirectUri: 'http://127.0.0.1:{port}/callback',
  requests: {
    resourceMetadata: `
GET {resource_metadata}
Accept: application/json`,
    serverMetadata: `
GET {server_metadata}
Accept: application/json`,
    registration: `
POST {registration_endpoint}
Content-Type: application/json
Accept: application/json

{"client_name":"Zed","redirect_uris":["{redirect_uri}"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","scope":"{scope}"}`,
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&redirect_uri={redirect_uri}&scope={scope}&resource={resource}&code_challenge={code_challenge}&code_challenge_method=S256&state={state}',
    token: `
POST {token_endpoint}
Content-Type: application/x-www-form-urlencoded
Accept: application/json

grant_type=authorization_code&code={code}&redirect_uri={redirect_uri}&client_id={client_id}&code_verifier={code_verifier}&resource={resource}`,
    refresh: `
POST {token_endpoint}
Content-Type: application/x-www-form-urlencoded
Accept: application/json

grant_type=refresh_token&refresh_token={refresh_token}&client_id={client_id}&resource={resource}`,
  },
}
