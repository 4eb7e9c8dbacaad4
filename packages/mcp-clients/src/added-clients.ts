import type { McpClient } from './mcp-client.ts'
import { unrecordedClient } from './unrecorded-client.ts'

/**
 * Clients whose redirect URI has a part for each maker, integration or host, or that need a secret from the operator: only
 * the operator can add them. The part that differs is made up.
 */
export const addedClients: readonly McpClient[] = [
  unrecordedClient({
    name: 'Copilot Studio',
    version: 'web',
    date: '2026-07-31',
    source: 'SmartBear/smartbear-mcp#463',
    redirectUris: ['https://global.consent.azure-apim.net/redirect/cr000-5fnotes-20mcp-5f0000000000000000'],
  }),
  unrecordedClient({
    name: 'Microsoft 365 Copilot',
    version: 'web',
    date: '2026-07-29',
    source: 'learn.microsoft.com, plugin-authentication (OAuth 2.0 authorization code flow), by MCPJam',
    redirectUris: ['https://teams.microsoft.com/api/platform/v1.0/oAuthRedirect'],
    known: 'microsoft-365-copilot',
  }),
  unrecordedClient({
    name: 'Langdock',
    version: 'web',
    date: '2026-11-23',
    source: 'tests of an MCP server',
    redirectUris: ['https://app.langdock.com/api/integrations/00000000-0000-4000-8000-000000000000/callback'],
  }),
  unrecordedClient({
    name: 'n8n',
    version: 'own host',
    date: '2026-11-23',
    source: 'n8n-io/n8n, packages/cli/src/oauth/oauth.service.ts as of 2026',
    redirectUris: ['https://n8n.notes.example/rest/oauth2-credential/callback'],
  }),
  unrecordedClient({
    name: 'LibreChat',
    version: 'own host',
    date: '2026-11-23',
    source: 'librechat.ai#388',
    redirectUris: ['https://chat.notes.example/api/mcp/notes/oauth/callback'],
  }),
  unrecordedClient({
    name: 'Open WebUI',
    version: 'own host',
    date: '2026-11-23',
    source: 'makeplane/plane-mcp-server#220',
    redirectUris: ['https://chat.notes.example/oauth/clients/mcp:notes/callback'],
  }),
]
