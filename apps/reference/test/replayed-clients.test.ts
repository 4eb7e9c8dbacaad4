import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { mcpClients } from '@grantkit/mcp-clients'
import { describeMcpClients } from '@grantkit/mcp-clients/describe-mcp-clients'
import { type HostAnswer, openDocumentHost } from '@grantkit/test-servers/document-host'
import { afterEach, vi } from 'vitest'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'
import { runService } from './service.ts'
import { user } from './user.ts'

/**
 * The MCP clients that people use, by their requests, with all known clients let in: those that differ on the wire. The
 * others, which have only a name and an address of their own, are tried at a server in one process.
 */

const UNRECORDED = ['Claude', 'Copilot Studio', 'Cursor', 'Grok', 'Le Chat']
const clients = mcpClients.filter(({ recorded, name }) => recorded !== false || UNRECORDED.includes(name))

const pass = (seconds: number) =>
  void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
afterEach(() => void vi.useRealTimers())

/** They show data centres a page, so the copies of the table serve. */
const BOT_WALLS = ['claude.ai', 'grok.com']
const documents = clients.flatMap(({ document }) => (document ? [document] : []))

function publish(id: string): HostAnswer {
  if (BOT_WALLS.includes(new URL(id).host)) return { status: 403, body: '<title>Just a moment...</title>' }
  return { body: JSON.stringify(documents.find(({ client_id }) => client_id === id)) }
}

async function start(FRAMEWORK: string) {
  const host = await openDocumentHost(publish)
  const service = await runService({
    FRAMEWORK,
    ...host.settings(documents.map(({ client_id }) => new URL(String(client_id)).host)),
    KNOWN_CLIENTS: KNOWN_CLIENTS.map(({ id }) => id).join(','),
    CLIENT_AUTHENTICATION: 'none,client_secret_post,client_secret_basic',
    DEFAULT_SCOPE: 'courses:read',
    RATE_LIMITS: 'off',
  })
  return {
    resource: `${service.baseUrl}/mcp`,
    browser: user(service.baseUrl),
    scope: 'courses:read',
    laterScope: 'students:read',
    add: service.clients.add,
    close: () => Promise.all([service.close(), host.close()]),
  }
}

for (const framework of Object.keys(FRAMEWORKS)) {
  const options = { clients, known: 'all', documents: true, added: true, pass } as const
  describeMcpClients(`the service on ${framework}`, () => start(framework), options)
}
