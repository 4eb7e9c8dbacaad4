import type { McpClient } from './mcp-client.ts'

/** Only its id and its redirect URI are known; what else an authorization request must have stands around them. */
export const copilotCli: McpClient = {
  name: 'Copilot CLI',
  version: '1.0.86',
  date: '2026-09-18',
  source:
    'github/copilot-cli#4901 (document, id and redirect URI) and #4793. The whole of a request is not published',
  tried: 'not tested: its document, id and redirect URI are replayed',
  redirectUri: 'http://127.0.0.1:{port}/',
  document: {
    client_id: 'https://github.com/copilot/cli/client-metadata.json',
    client_name: 'GitHub Copilot CLI',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    redirect_uris: ['http://127.0.0.1:33418/'],
  },
  requests: {
    authorization:
      '{authorization_endpoint}?client_id={client_id}&redirect_uri={redirect_uri}&response_type=code&code_challenge={code_challenge}&code_challenge_method=S256&state={state}&scope={scope}&resource={resource}',
  },
}
