import { env } from 'cloudflare:workers'
import { honoContext } from '@grantkit/adapter-hono'
import { createAuthorizationServer, createResourceServer } from '@grantkit/core'
import { clientDocuments } from '@grantkit/core/client-documents'
import { knownClients } from '@grantkit/known-clients'
import { safeFetch } from '@grantkit/safe-fetch'
import { createDurableStore } from '@grantkit/store-cloudflare/durable-objects'
import { ui } from './pages.ts'
import { sessionOf } from './session.ts'

const { ISSUER: issuer, SECRET: secret } = env
export const resource = `${issuer}/mcp`
const store = createDurableStore(env.RECORDS)
const scopes = { 'notes:read': { description: 'Read your notes', access: 'read' } } as const
// Claude, ChatGPT, Cursor and others, each by the exact redirect URIs that its vendor names.
const known = knownClients()

export const server = createAuthorizationServer({
  ...{ issuer, store, scopes, secret },
  ...known,
  resources: [resource],
  defaultScope: 'notes:read',
  features: [clientDocuments({ ...known, fetch: safeFetch({ issuer }) })],
  interaction: {
    session: (request) => sessionOf(honoContext(request)),
    signIn: (to) => ({
      status: 303,
      headers: { location: `/login?${new URLSearchParams({ to })}` },
      body: '',
    }),
    ...ui.interaction,
  },
})

/** The guard of the MCP server. It finds the tokens in the same store. */
export const api = createResourceServer({ resource, store, scopes })
