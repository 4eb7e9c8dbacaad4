import { type DocumentHost, documentOf, openDocumentHost } from '@grantkit/test-servers/document-host'
import { newStorage } from '@grantkit/test-servers/new-storage'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { auditPage } from '../src/audit/reading.ts'
import { connected } from './connected.ts'
import { type RunningServer, runServer, WITH_API } from './running-server.ts'
import { user } from './signed-in-browser.ts'

/** Client ID metadata documents, from a host with a certificate, through the whole server. */

const ID = 'https://app.dev/client.json'
const CALLBACKS = { loopback: 'http://127.0.0.1/callback', website: 'https://app.dev/callback' }
const DOCUMENT = documentOf(ID, { redirect_uris: Object.values(CALLBACKS) })

let host: DocumentHost
beforeAll(async () => {
  host = await openDocumentHost(() => DOCUMENT)
})
afterAll(() => host.close())

/** @param settings in addition to those for the host */
async function open(settings: Record<string, string> = {}): Promise<RunningServer> {
  host.answer = () => DOCUMENT
  const server = await runServer({ ...host.settings(['app.dev']), ...settings }, {}, WITH_API)
  onTestFinished(() => server.close())
  return server
}

const clientWith = (redirectUri: string, { baseUrl }: RunningServer) => {
  const client = { clientId: ID, redirectUris: [redirectUri] }
  return testClient(baseUrl, { client, browser: user(baseUrl) })
}

it('shows the user the host of the document, and warns that any program can be the app', async () => {
  const server = await open()
  const app = await clientWith(CALLBACKS.loopback, server)
  const cookie = await sessionCookie(server.baseUrl)
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }
  const page = await app.visit(app.authorizationUrl({ scope: 'notes:read', ...challenge }), { cookie })
  const address = ID.replace('app.dev', '<strong class="host">app.dev</strong>')
  expect(page.body).toContain(`<dt>Described by</dt><dd><code dir="ltr">${address}</code></dd>`)
  expect(page.body).toContain('Any program on this device can pretend to be this app.')
})

it('sends a code to a website only if the operator admits its document', async () => {
  const refused = await clientWith(CALLBACKS.website, await open())
  await expect(refused.tokens('notes:read')).rejects.toThrow()
  const app = await clientWith(CALLBACKS.website, await open({ CIMD_ADMIT: ID }))
  expect(await app.tokens('notes:read')).toMatchObject({ scope: 'notes:read' })
})

it('is shown to operators as described by a document, and disappears when they remove it', async () => {
  const server = await open({ CLIENT_AUTHENTICATION: 'none,private_key_jwt' })
  const methods = ['none', 'private_key_jwt']
  const keys = { jwks_uri: 'https://app.dev/keys', token_endpoint_auth_methods_supported: methods }
  host.answer = () => documentOf(ID, keys)
  await server.accounts.setAdmin('demo-account', true)
  const app = await clientWith(CALLBACKS.loopback, server)
  const { access_token } = await app.tokens('notes:read')
  const cookie = await sessionCookie(server.baseUrl)
  const visit = (path: string, init: RequestInit = {}) =>
    fetch(`${server.baseUrl}/admin${path}`, { redirect: 'manual', ...init, headers: { cookie } })
  const page = `/client?id=${encodeURIComponent(ID)}`
  expect(await (await visit('/clients')).text()).toContain('described by a document')
  const shown = await (await visit(page)).text()
  expect(shown).toContain('A document describes it, and the host of the document is verified.')
  expect(shown).toMatch(/Authenticates by<\/dt>\s*<dd>none or private_key_jwt</)
  const token = /name="token" value="([^"]+)"/.exec(shown)?.[1] ?? ''
  await visit(page, { method: 'POST', body: new URLSearchParams({ token, action: 'remove' }) })
  expect((await visit(page)).status).toBe(404)
  const authorization = `Bearer ${access_token}`
  expect((await fetch(`${server.baseUrl}/api/notes`, { headers: { authorization } })).status).toBe(401)
})

it('records in the audit trail which members of its document changed after a consent', async () => {
  const storage = await newStorage()
  onTestFinished(storage.close)
  host.answer = () => DOCUMENT
  const server = await runServer({ ...host.settings(['app.dev']), ...storage.environment })
  await (await clientWith(CALLBACKS.loopback, server)).tokens('notes:read')
  host.answer = () => documentOf(ID, { client_name: 'New', redirect_uris: Object.values(CALLBACKS) })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60 * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  await (await clientWith(CALLBACKS.loopback, server)).tokens('notes:read')
  await server.close()
  const database = await connected(storage.environment.DATABASE_URL)
  const { items: entries } = await auditPage(database, { types: ['client_document_changed'] }, 10)
  expect(entries).toMatchObject([{ clientId: ID, members: ['clientName'], network: '127.0.0.0/24' }])
})
