import {
  type AuthorizationServerOptions,
  createAuthorizationServer,
  createResourceServer,
} from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { clientDocuments } from '@grantkit/core/client-documents'
import { KNOWN_CLIENTS, knownClients } from '@grantkit/known-clients'
import { createMemoryStore } from '@grantkit/store-memory'
import { alwaysSignedIn, formBrowser, inProcess } from '@grantkit/testkit/client'
import { describeMcpClients } from './describe-mcp-clients.ts'

/** Every client at servers in this process. */

const issuer = 'https://notes.example'
const resource = `${issuer}/mcp`
const scopes = { 'notes:read': { description: 'Read notes' }, 'notes:write': { description: 'Write notes' } }
const clock = { now: 1_800_000_000 }
const now = () => clock.now

const known = knownClients({ only: KNOWN_CLIENTS.map(({ id }) => id), documents: 'copy' })
const ALL_KNOWN = { features: [clientDocuments(known)], ...known }

async function start(policies: Partial<AuthorizationServerOptions<string>>) {
  const store = createMemoryStore({ now })
  const server = createAuthorizationServer({
    issuer,
    store,
    scopes,
    now,
    secret: 'a secret of the tests, long enough to pass',
    resources: [resource],
    defaultScope: 'notes:read',
    rateLimiter: { take: async () => 0 },
    interaction: alwaysSignedIn({ authTime: now }),
    ...policies,
  })
  const api = createResourceServer({ resource, store, scopes, now })
  const mcp: Route = {
    path: '/mcp',
    methods: ['GET', 'HEAD', 'POST'],
    async handle(request) {
      const access = await api.access(request, 'notes:read')
      return access.kind === 'authorized'
        ? { status: 200, headers: {}, body: '{"jsonrpc":"2.0"}' }
        : access.response
    },
  }
  const send = inProcess({ routes: [...server.routes, mcp] })
  return {
    resource,
    browser: formBrowser({ origin: issuer, typed: { password: '' }, send }),
    scope: 'notes:read',
    laterScope: 'notes:write',
    add: server.clients.add,
    send,
  }
}

describeMcpClients('a server that lets all known clients in', () => start(ALL_KNOWN), {
  known: 'all',
  documents: true,
  added: true,
  challenges: true,
  pass: (seconds) => {
    clock.now += seconds
  },
})

const withoutOperator = async () => ({ ...(await start({})), add: undefined })
describeMcpClients('a server that lets only clients on loopback in', withoutOperator)
