import { createAuthorizationServer } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { inProcess, type Send, testClient } from '@grantkit/testkit/client'
import { describe, expect, it } from 'vitest'
import { createNotesServer } from './notes-server.ts'

const ALICE = { cookie: 'session=alice' }
const now = () => 1_800_000_000

describe('testClient', () => {
  it('allows everything that the page offers', async () => {
    const { server } = createNotesServer({ now })
    const app = await testClient(server, { browser: ALICE })
    expect(await app.tokens('notes:read notes:write')).toMatchObject({ scope: 'notes:read notes:write' })
  })

  it('denies, and returns the response at the redirect URI', async () => {
    const { server } = createNotesServer({ now })
    const app = await testClient(server, { browser: ALICE })
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const answer = await app.authorize({ scope: 'notes:read', code_challenge }, 'deny')
    expect(answer).toMatchObject({ error: 'access_denied', state: 'the state', iss: 'https://notes.example' })
    await expect(app.approve('notes:delete')).rejects.toThrow('No code: {"error":"invalid_scope"')
  })

  it('says what is missing without a signed-in user', async () => {
    const { server } = createNotesServer({ now })
    const app = await testClient(server)
    await expect(app.tokens('notes:read')).rejects.toThrow(/sent to \/login\?to=.* See the option "browser"/)
  })

  it('hands over what the session reads of a framework, with the requests of the browser alone', async () => {
    const { server } = createNotesServer({ now })
    const given: [path: string, native: unknown][] = []
    const send: Send = (url, request) => {
      given.push([new URL(url).pathname, request.native])
      return inProcess(server)(url, request)
    }
    const app = await testClient(server, { browser: ALICE, native: { user: 'alice' }, send })
    await app.tokens('notes:read')
    expect(given.filter(([, native]) => native !== undefined)).toEqual([
      ['/oauth/authorize', { user: 'alice' }],
      ['/oauth/consent', { user: 'alice' }],
    ])
  })

  it('gets an address in this process without saying more', async () => {
    const { server } = createNotesServer({ now })
    const path = '/.well-known/oauth-authorization-server'
    expect(JSON.parse((await inProcess(server)(server.issuer + path)).body)).toEqual(server.metadata)
  })

  it('shows the page of a server that will not answer the client', async () => {
    const { server } = createNotesServer({ now })
    const client = { clientId: 'unknown', redirectUris: ['http://127.0.0.1/cb'] }
    const app = await testClient(server, { browser: ALICE, client })
    await expect(app.tokens('notes:read')).rejects.toThrow('shows a page (status 400)')
  })

  it('is an integration, when it is given one', async () => {
    const { server } = createNotesServer({ now })
    const added = await server.clients.add({
      clientName: 'Zap',
      redirectUris: ['https://zap.example/callback'],
      rememberConsent: true,
    })
    const app = await testClient(server, { browser: ALICE, client: added })
    const { access_token } = await app.tokens('notes:read')
    expect(await app.introspect(access_token)).toMatchObject({ status: 200, active: true })
    await app.tokens('notes:read')
    expect(await app.revoke(access_token)).toMatchObject({ status: 200 })
    expect(await app.introspect(access_token)).toMatchObject({ active: false })
  })

  it('finds the endpoints at any path, and a ticket outside of a form by an option', async () => {
    const server = createAuthorizationServer({
      issuer: 'https://notes.example/auth',
      store: createMemoryStore(),
      scopes: { read: { description: 'Read' } },
      secret: 'a secret of the tests, long enough to pass',
      paths: { authorize: '/go', consent: '/yes', token: '/t', register: '/r' },
      interaction: {
        session: async () => ({ id: 'session', subject: 'alice', authTime: 1 }),
        signIn: () => ({ status: 303, headers: {}, body: '' }),
        errorPage: ({ status }) => ({ status, headers: {}, body: '' }),
        consentPage: ({ action, ticket }) => ({
          status: 200,
          headers: {},
          body: JSON.stringify({ action, ticket }),
        }),
      },
    })
    const pageless = await testClient(server)
    await expect(pageless.tokens('read')).rejects.toThrow('There is no form with a ticket')
    const app = await testClient(server, {
      consentForm({ body }) {
        const { action, ticket } = JSON.parse(body)
        return {
          action,
          fields: [
            ['ticket', ticket],
            ['scope', 'read'],
          ],
        }
      },
    })
    expect(await app.tokens('read')).toMatchObject({ scope: 'read' })
  })

  it('says why it was not registered', async () => {
    const { server } = createNotesServer({ now })
    const metadata = { redirect_uris: ['https://elsewhere.example/'] }
    await expect(testClient(server, { metadata })).rejects.toThrow('not registered: {"error":')
  })
})
