import type { McpClient } from './mcp-client.ts'
import { publishedDocument } from './published-document.ts'

/** Only its id, its document and its redirect URI are known; what else an authorization request must have stands around them. */
export const copilotCli: McpClient = {
  name: 'Copilot CLI',
  version: '1.0.86',
  date: '2026-09-18',
  source:
    'github/copilot-cli#4901 (document, id and redirect URI) and #4793. The whole of a request is not published',
  recorded: false,
  known: 'copilot-cli',
  redirectUri: 'http://127.0.0.1:{port}/',
  document: publishedDocument('https://github.com/copilot/cli/client-metadata.json'),
  requests: {
    authorization:
      '{authorization_endpoint}?client_id={client_id}&redirect_uri={redirect_uri}&response_type=code&code_challenge={code_challenge}&code_challenge_method=S256&state={state}&scope={scope}&resource={resource}',
  },
}
