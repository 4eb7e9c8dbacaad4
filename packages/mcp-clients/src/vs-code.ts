import type { McpClient } from './mcp-client.ts'
import { publishedDocument } from './published-document.ts'

export const vsCode: McpClient = {
  name: 'Visual Studio Code',
  version: '1.133',
  date: '2026-08-12',
  source:
    'microsoft/vscode: #278512 (authorization, 2025-11-20), src/vs/base/common/oauth.ts at 05f882b (registration), src/vs/workbench/api/common/extHostAuthentication.ts as of 2026 (token, refresh); stacklok/toolhive#6290 (document)',
  known: 'vscode',
  redirectUri: 'http://127.0.0.1:{port}/',
  redirectUris: [
    'https://insiders.vscode.dev/redirect',
    'https://vscode.dev/redirect',
    'http://127.0.0.1/',
    'http://127.0.0.1:33418/',
  ],
  document: publishedDocument('https://vscode.dev/oauth/client-metadata.json'),
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

{"client_name":"Visual Studio Code","client_uri":"https://code.visualstudio.com","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"redirect_uris":{redirect_uris},"scope":"{scopes_supported}","token_endpoint_auth_method":"none","application_type":"native"}`,
    authorization:
      '{authorization_endpoint}?client_id={client_id}&response_type=code&code_challenge={code_challenge}&code_challenge_method=S256&scope={scope}&resource={resource}&redirect_uri={redirect_uri}&state={state}',
    token: `
POST {token_endpoint}
Content-Type: application/x-www-form-urlencoded
Accept: application/json

client_id={client_id}&grant_type=authorization_code&code={code}&redirect_uri={redirect_uri}&code_verifier={code_verifier}&resource={resource}`,
    refresh: `
POST {token_endpoint}
Content-Type: application/x-www-form-urlencoded
Accept: application/json

client_id={client_id}&grant_type=refresh_token&refresh_token={refresh_token}&resource={resource}`,
  },
}
