import { createAuthorizationServer } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { formBrowser, inProcess, testClient } from '@grantkit/testkit/client'
import { describe, expect, it } from 'vitest'
import { pages } from '../src/index.ts'

/** A program that takes the part of the browser follows the page, as it follows a redirect. */

const issuer = 'https://notes.example'
const REDIRECT_URI = 'com.example.notes:/callback'

function openServer() {
  const ui = pages({ brand: { name: 'Notes' } })
  return createAuthorizationServer({
    issuer,
    store: createMemoryStore(),
    scopes: { 'notes:read': { description: 'Read your notes' } },
    secret: 'a secret of the tests, long enough to pass',
    interaction: {
      session: async () => ({ id: 'session', subject: 'alice', authTime: 0 }),
      signIn: () => ({ status: 303, headers: { location: '/login' }, body: '' }),
      ...ui.interaction,
    },
  })
}

type Server = ReturnType<typeof openServer>

const addApp = ({ clients }: Server, more: object = {}) =>
  clients.add({ clientName: 'Editor', redirectUris: [REDIRECT_URI], ...more })

describe('the test client of an app with a private-use redirect URI', () => {
  it.each([
    ['its own requests', () => ({})],
    ['a browser for forms', (server: Server) => ({ browser: formBrowserAt(server) })],
  ])('gets tokens and a denial by %s', async (_, browserOf) => {
    const server = openServer()
    const client = await testClient(server, { client: await addApp(server), ...browserOf(server) })
    expect((await client.tokens('notes:read')).scope).toBe('notes:read')
    const request = { scope: 'notes:read', code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }
    expect((await client.authorize(request, 'deny')).error).toBe('access_denied')
  })

  it('gets tokens where consent is remembered', async () => {
    const server = openServer()
    const client = await testClient(server, { client: await addApp(server, { rememberConsent: true }) })
    await client.tokens('notes:read')
    expect((await client.tokens('notes:read')).scope).toBe('notes:read')
  })
})

const formBrowserAt = (server: Server) =>
  formBrowser({ origin: issuer, typed: { email: 'ada@example.com' }, send: inProcess(server) })
