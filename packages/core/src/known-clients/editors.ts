import type { KnownClient } from './known-client.ts'

/** Editors and their agents in the cloud. */
export const EDITORS: readonly KnownClient[] = [
  {
    id: 'cursor',
    name: 'Cursor',
    vendor: 'Anysphere',
    host: 'cursor.com',
    // One registration has both, and http://localhost:8787/callback.
    redirectUris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
    ],
    documents: [],
    formActionHops: [],
    evidence: 'vendor-page',
    source: 'https://cursor.com/docs/mcp',
    seen: '2026-09-17',
  },
  {
    id: 'vscode',
    name: 'Visual Studio Code',
    vendor: 'Microsoft',
    host: 'vscode.dev',
    redirectUris: ['https://vscode.dev/redirect', 'https://insiders.vscode.dev/redirect'],
    documents: [
      {
        url: 'https://vscode.dev/oauth/client-metadata.json',
        json: {
          client_name: 'Visual Studio Code',
          logo_uri: 'https://code.visualstudio.com/assets/branding/code-stable.png',
          grant_types: [
            'authorization_code',
            'refresh_token',
            'urn:ietf:params:oauth:grant-type:device_code',
          ],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
          application_type: 'native',
          client_id: 'https://vscode.dev/oauth/client-metadata.json',
          client_uri: 'https://vscode.dev/product',
          redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
        },
        seen: '2026-08-12',
      },
      { url: 'https://insiders.vscode.dev/oauth/client-metadata.json', seen: '2026-09-11' },
    ],
    formActionHops: [],
    evidence: 'vendor-source',
    source: 'microsoft/vscode, src/vs/base/common/oauth.ts',
    seen: '2026-09-17',
    // The pages pass the code on to an editor that `state` names.
    caution: 'hands-on',
  },
  {
    id: 'devin',
    name: 'Devin',
    vendor: 'Cognition',
    host: 'devin.ai',
    redirectUris: ['https://api.devin.ai/mcp/oauth/callback'],
    documents: [],
    formActionHops: [],
    evidence: 'vendor-page',
    source: 'https://docs.devin.ai',
    seen: '2026-09-17',
  },
  {
    id: 'antigravity',
    name: 'Google Antigravity',
    vendor: 'Google',
    host: 'antigravity.google',
    redirectUris: ['https://antigravity.google/oauth-callback'],
    documents: [],
    formActionHops: [],
    evidence: 'vendor-page',
    source: 'https://antigravity.google/docs/mcp',
    seen: '2026-09-17',
    caution: 'shows-code',
  },
]
