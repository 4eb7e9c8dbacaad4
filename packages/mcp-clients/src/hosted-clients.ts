import type { McpClient } from './mcp-client.ts'
import { publishedDocument } from './published-document.ts'
import { unrecordedClient } from './unrecorded-client.ts'

/** Clients that run at their vendor: one https redirect URI for all their users. */

const CLAUDE = {
  version: 'web',
  date: '2026-09-29',
  source:
    'claude.com/docs/connectors/building/authentication and /troubleshooting (redirect URI); pantalytics/odoo-mcp-pro#22 (a client without a secret)',
  known: 'claude',
  registration: { client_name: 'Claude', token_endpoint_auth_method: 'none' },
} as const

const PERPLEXITY = {
  version: 'web',
  date: '2026-09-17',
  source: 'Perplexity help centre 13915507, by koala73/worldmonitor#8305',
  known: 'perplexity',
  registration: { client_name: 'Perplexity' },
} as const

const GROK = {
  version: 'web',
  date: '2026-09-17',
  source:
    'its document https://grok.com/oauth/mcp-client.json (redirect URIs), by koala73/worldmonitor#8305; erp-mafia/accounted#2158 (a public client)',
  known: 'grok',
  registration: { client_name: 'Grok', token_endpoint_auth_method: 'none' },
} as const

const V0 = {
  date: '2026-11-23',
  source: 'v0.app/docs/api, guide "OAuth MCP Servers" of both versions',
  known: 'v0',
  registration: {},
} as const

const MAKE = {
  version: 'web',
  date: '2026-11-23',
  source: 'the callbacks that mcp.browserless.io lists',
  known: 'make',
  registration: {},
} as const

export const hostedClients: readonly McpClient[] = [
  unrecordedClient({
    ...CLAUDE,
    name: 'Claude',
    redirectUris: ['https://claude.ai/api/mcp/auth_callback'],
    document: publishedDocument('https://claude.ai/oauth/mcp-oauth-client-metadata'),
  }),
  unrecordedClient({
    ...CLAUDE,
    name: 'Claude on claude.com',
    redirectUris: ['https://claude.com/api/mcp/auth_callback'],
  }),
  unrecordedClient({
    name: 'ChatGPT',
    version: 'web, registered',
    date: '2026-08-01',
    source:
      'developers.openai.com/apps-sdk/build/auth (redirect URI, method); registrations that get-engram/engram received (name)',
    known: 'chatgpt',
    // Without it, it uses an address of its own for each connector.
    reads: { serverMetadata: ['authorization_response_iss_parameter_supported'], callback: ['iss'] },
    redirectUris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    registration: { client_name: 'ChatGPT', token_endpoint_auth_method: 'none' },
  }),
  unrecordedClient({
    name: 'Devin',
    version: 'web',
    date: '2026-09-17',
    source:
      'docs.devin.ai, by koala73/worldmonitor#8305; registrations that get-engram/engram received (name)',
    known: 'devin',
    redirectUris: ['https://api.devin.ai/mcp/oauth/callback'],
    registration: { client_name: 'Devin' },
  }),
  unrecordedClient({
    name: 'Devin Beta',
    version: 'web',
    date: '2026-09-11',
    source: 'the callbacks that mcp.browserless.io lists',
    known: 'devin-beta',
    redirectUris: ['https://api.beta.devin.ai/mcp/oauth/callback'],
    registration: {},
  }),
  unrecordedClient({
    name: 'Antigravity',
    version: 'desktop',
    date: '2026-09-17',
    source:
      'antigravity.google/docs/mcp, by koala73/worldmonitor#8305; registrations that get-engram/engram received (name)',
    known: 'antigravity',
    redirectUris: ['https://antigravity.google/oauth-callback'],
    registration: { client_name: 'antigravity-client' },
  }),
  unrecordedClient({
    ...PERPLEXITY,
    name: 'Perplexity',
    redirectUris: ['https://www.perplexity.ai/rest/connections/oauth_callback'],
  }),
  unrecordedClient({
    ...PERPLEXITY,
    name: 'Perplexity Enterprise',
    redirectUris: ['https://enterprise.perplexity.ai/rest/connections/oauth_callback'],
  }),
  unrecordedClient({
    name: 'Le Chat',
    version: 'web',
    date: '2026-09-08',
    source: 'registrations that get-engram/engram received (name); pantalytics/odoo-mcp-pro#22 (method)',
    known: 'mistral',
    redirectUris: ['https://callback.mistral.ai/v1/integrations_auth/oauth2_callback'],
    registration: { client_name: 'mistral-mcp-client', token_endpoint_auth_method: 'client_secret_basic' },
  }),
  unrecordedClient({
    ...GROK,
    name: 'Grok',
    redirectUris: ['https://grok.com/connectors-oauth-exchange-code/'],
    document: publishedDocument('https://grok.com/oauth/mcp-client.json'),
  }),
  unrecordedClient({
    ...GROK,
    name: "Grok in xAI's console",
    redirectUris: ['https://console.x.ai/connectors-oauth-exchange-code/'],
  }),
  unrecordedClient({
    name: 'n8n',
    version: 'cloud',
    date: '2026-11-23',
    source:
      'n8n-io/n8n, packages/cli/src/oauth/oauth.service.ts as of 2026 (registration); n8n#21808 (redirect URI)',
    known: 'n8n-cloud',
    redirectUris: ['https://oauth.n8n.cloud/oauth2/callback'],
    registration: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'n8n',
      client_uri: 'https://n8n.io/',
      scope: '{scope}',
    },
  }),
  ...['www.make.com', 'us1.make.celonis.com', 'eu1.make.celonis.com'].map((host) =>
    unrecordedClient({ ...MAKE, name: `Make on ${host}`, redirectUris: [`https://${host}/oauth/cb/mcp`] }),
  ),
  unrecordedClient({
    name: 'LobeHub',
    version: 'cloud',
    date: '2026-08-01',
    source: 'registrations that get-engram/engram received',
    known: 'lobehub',
    redirectUris: ['https://app.lobehub.com/oauth/connector/callback'],
    registration: {},
  }),
  unrecordedClient({
    ...V0,
    name: 'v0',
    version: 'API 1',
    redirectUris: ['https://api.v0.dev/v1/mcp-servers/oauth/callback'],
  }),
  unrecordedClient({
    ...V0,
    name: 'v0',
    version: 'API 2',
    redirectUris: ['https://api.v0.app/v2/mcp-servers/oauth/callback'],
  }),
]
