import type { McpClient } from './mcp-client.ts'
import { publishedDocument } from './published-document.ts'
import { unrecordedClient } from './unrecorded-client.ts'

/** Apps on the computer of their user, with a loopback redirect URI or a private-use scheme. */

/** Of an app that is a public client by its source. */
const PUBLIC_APP = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
} as const

export const desktopClients: readonly McpClient[] = [
  unrecordedClient({
    name: 'Cursor',
    version: '3.13',
    date: '2026-09-03',
    source:
      'erp-mafia/accounted#2225 (redirect URIs, in one registration); better-auth/better-auth#10956 (version, method, no `application_type`)',
    known: 'cursor',
    redirectUris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    registration: { token_endpoint_auth_method: 'none' },
  }),
  unrecordedClient({
    name: 'Warp',
    version: 'app',
    date: '2026-11-23',
    source:
      'warpdotdev/warp, app/src/ai/mcp/templatable_manager/oauth.rs (redirect URI); rmcp, which registers for it (method)',
    known: 'warp',
    redirectUris: ['warp://mcp/oauth2callback'],
    registration: { token_endpoint_auth_method: 'none' },
  }),
  unrecordedClient({
    name: 'Raycast',
    version: '1.104',
    date: '2026-07-09',
    source: 'appwrite/mcp#77 (version); Swiggy/swiggy-mcp-server-manifest#86 (method)',
    known: 'raycast',
    redirectUris: ['com.raycast:/oauth'],
    registration: { token_endpoint_auth_method: 'none' },
  }),
  unrecordedClient({
    name: 'Raycast extensions',
    version: 'app',
    date: '2026-08-18',
    source: 'Swiggy/swiggy-mcp-server-manifest#86; developers.raycast.com/api-reference/oauth',
    known: 'raycast',
    redirectUris: [
      'https://raycast.com/redirect?packageName=Extension',
      'raycast://oauth?package_name=Extension',
    ],
    registration: { token_endpoint_auth_method: 'none' },
  }),
  unrecordedClient({
    name: 'GitHub Copilot for JetBrains',
    version: 'plugin',
    date: '2026-09-11',
    source: 'microsoft/copilot-intellij-feedback#2041 (redirect URIs)',
    redirectUris: ['http://127.0.0.1:33428/callback', 'http://127.0.0.1/callback'],
    registration: {},
  }),
  unrecordedClient({
    name: 'Goose',
    version: 'main',
    date: '2026-07-29',
    source:
      'its document as fetched by MCPJam; aaif-goose/goose, crates/goose/src/oauth/mod.rs as of 2026 (registration)',
    known: 'goose',
    redirectUris: ['http://127.0.0.1:{port}/oauth_callback'],
    registration: { client_name: 'goose', ...PUBLIC_APP },
    document: publishedDocument('https://goose-docs.ai/oauth/client-metadata.json'),
  }),
  unrecordedClient({
    name: 'Kilo Code',
    version: 'main',
    date: '2026-11-23',
    source: 'Kilo-Org/kilocode, packages/opencode/src/mcp/oauth-provider.ts as of 2026',
    known: 'kilo',
    redirectUris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    registration: { client_name: 'Kilo', ...PUBLIC_APP },
  }),
  unrecordedClient({
    name: 'Kiro',
    version: 'app',
    date: '2026-09-11',
    source: 'https://kiro.dev/oauth/client-metadata.json (redirect URIs)',
    known: 'kiro',
    redirectUris: ['http://localhost:{port}/oauth/callback', 'http://127.0.0.1:{port}/oauth/callback'],
    registration: {},
    document: publishedDocument('https://kiro.dev/oauth/client-metadata.json'),
  }),
  unrecordedClient({
    name: 'opencode',
    version: '2',
    date: '2026-09-07',
    source: 'anomalyco/opencode#47737 (its document)',
    known: 'opencode',
    redirectUris: ['http://127.0.0.1:{port}/callback'],
    document: publishedDocument('https://opencode.ai/oauth/opencode/client.json'),
  }),
  unrecordedClient({
    name: 'Claude Code in the Claude app',
    version: 'desktop',
    date: '2026-09-30',
    source: 'anthropics/claude-code#93671',
    known: 'claude-code-desktop',
    redirectUris: ['claude://claude.ai/mcp-auth-callback/sdk'],
    registration: {},
  }),
  unrecordedClient({
    name: 'Cline',
    version: 'main',
    date: '2026-08-01',
    source:
      'cline/cline, src/services/mcp/McpOAuthManager.ts as of 2026 (registration); registrations that get-engram/engram received (redirect URI)',
    redirectUris: ['http://127.0.0.1:1456/mcp/oauth/callback'],
    registration: {
      ...PUBLIC_APP,
      client_name: 'Cline',
      client_uri: 'https://cline.bot',
      software_id: 'cline',
    },
  }),
  unrecordedClient({
    name: 'LM Studio',
    version: 'app',
    date: '2026-11-23',
    source:
      'tests of an MCP server (redirect URI); lmstudio-ai/lmstudio-bug-tracker#1893 (loopback by address)',
    redirectUris: ['http://127.0.0.1:33389/mcp-oauth-callback'],
    registration: {},
  }),
  unrecordedClient({
    name: 'Hermes Agent',
    version: 'main',
    date: '2026-11-23',
    source:
      'NousResearch/hermes-agent, tools/mcp_oauth.py and website/static/oauth/client-metadata.json as of 2026',
    known: 'hermes',
    redirectUris: ['http://127.0.0.1:27890/callback'],
    registration: { client_name: 'Hermes Agent', ...PUBLIC_APP, application_type: 'native' },
    document: publishedDocument(
      'https://nousresearch.github.io/hermes-agent/docs/oauth/client-metadata.json',
    ),
  }),
  unrecordedClient({
    name: 'ToolHive',
    version: 'main',
    date: '2026-09-11',
    source: 'stacklok/toolhive, toolhive-client-metadata.json (its document)',
    known: 'toolhive',
    redirectUris: ['http://localhost:8666/callback'],
    document: publishedDocument('https://toolhive.dev/oauth/client-metadata.json'),
  }),
  unrecordedClient({
    name: 'Factory Droid',
    version: 'app',
    date: '2026-09-11',
    source: 'archestra-ai/archestra, its tests of sign-ins by agents (redirect URI)',
    known: 'factory-droid',
    redirectUris: ['http://127.0.0.1:{port}/callback'],
    registration: {},
  }),
  unrecordedClient({
    name: 'Mastra Code',
    version: '0.40',
    date: '2026-09-16',
    source: 'mastra-ai/mastra, mastracode/sdk/src/mcp/config.ts (redirect URI)',
    known: 'mastra-code',
    redirectUris: ['http://127.0.0.1:1458/oauth/callback'],
    registration: {},
  }),
  unrecordedClient({
    name: 'MCPJam Inspector',
    version: 'app',
    date: '2026-09-11',
    source: 'its document, as servers quote it (redirect URIs)',
    known: 'mcpjam',
    redirectUris: ['http://127.0.0.1:6274/oauth/callback', 'http://localhost:6274/oauth/callback'],
    registration: {},
  }),
  unrecordedClient({
    name: 'OpenClaw',
    version: 'main',
    date: '2026-11-23',
    source: 'openclaw/openclaw, src/agents/mcp-oauth-provider.ts as of 2026; openclaw#120433 (redirect URI)',
    redirectUris: ['http://127.0.0.1:8989/oauth/callback'],
    registration: { client_name: 'OpenClaw', ...PUBLIC_APP },
  }),
]
