import type { KnownClient } from './known-client.ts'

/** Services in which people build automations and apps. Each has one callback for all its users. */
export const BUILDERS: readonly KnownClient[] = [
  {
    id: 'n8n-cloud',
    name: 'n8n Cloud',
    vendor: 'n8n',
    host: 'n8n.cloud',
    redirectUris: ['https://oauth.n8n.cloud/oauth2/callback'],
    documents: [],
    formActionHops: [],
    evidence: 'vendor-page',
    source: 'docs.n8n.io, credentials with a redirect URI; n8n-io/n8n#21791',
    seen: '2026-09-11',
  },
  {
    id: 'make',
    name: 'Make',
    vendor: 'Celonis',
    host: 'make.com',
    redirectUris: [
      'https://www.make.com/oauth/cb/mcp',
      'https://us1.make.celonis.com/oauth/cb/mcp',
      'https://eu1.make.celonis.com/oauth/cb/mcp',
    ],
    documents: [],
    formActionHops: [],
    evidence: 'observed',
    source: 'the callback list of mcp.browserless.io',
    seen: '2026-09-11',
  },
  {
    id: 'lobehub',
    name: 'LobeHub',
    vendor: 'LobeHub',
    host: 'app.lobehub.com',
    redirectUris: ['https://app.lobehub.com/oauth/connector/callback'],
    documents: [],
    formActionHops: [],
    evidence: 'observed',
    source: 'registrations at several MCP servers; makeplane/plane-mcp-server#220',
    seen: '2026-08-01',
  },
  {
    id: 'v0',
    name: 'v0',
    vendor: 'Vercel',
    host: 'v0.app',
    redirectUris: [
      'https://api.v0.dev/v1/mcp-servers/oauth/callback',
      'https://api.v0.app/v2/mcp-servers/oauth/callback',
    ],
    documents: [
      { url: 'https://v0.app/api/chat/integrations/oauth/client-metadata.json', seen: '2026-09-11' },
    ],
    formActionHops: [],
    evidence: 'vendor-page',
    source: 'https://v0.app/docs/api/v1/guides/oauth-mcp-servers',
    seen: '2026-09-11',
  },
]
