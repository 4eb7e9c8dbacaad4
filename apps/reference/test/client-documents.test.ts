import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { auditPage } from '@grantkit/server/internal/audit/reading'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { testClient } from '@grantkit/testkit/client'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type DocumentHost, documentOf, type HostAnswer, openDocumentHost } from './document-host.ts'
import { connected } from './on-both-databases.ts'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'
import { sessionCookie, user } from './user.ts'

/** Client ID metadata documents, from a host with a certificate, through the whole service. */

const ID = 'https://app.dev/client.json'
const CALLBACKS = { loopback: 'http://127.0.0.1/callback', website: 'https://app.dev/callback' }
const DOCUMENT = documentOf(ID, { redirect_uris: Object.values(CALLBACKS) })

let host: DocumentHost
beforeAll(async () => {
  host = await openDocumentHost(() => DOCUMENT)
})
afterAll(() => host.close())

let service: RunningService
afterEach(() => service.close())

/** @param settings in addition to those for the host */
async function open(settings: Record<string, string> = {}) {
  host.requests.length = 0
  host.answer = () => DOCUMENT
  service = await runService({ ...host.settings(['app.dev']), ...settings })
}

const clientWith = (redirectUri: string) => {
  const client = { clientId: ID, redirectUris: [redirectUri] }
  return testClient(service.baseUrl, { client, browser: user(service.baseUrl) })
}

it('signs a user in by the document of its client, and refreshes its tokens', async () => {
  await open()
  const app = await clientWith('http://127.0.0.1:49152/callback')
  const tokens = await app.tokens('courses:read')
  expect(tokens).toMatchObject({ scope: 'courses:read' })
  expect(await app.refresh(tokens.refresh_token)).toMatchObject({ status: 200 })
  expect(host.requests).toEqual([ID])
})

it('shows the user the host of the document, and warns that any program can be the app', async () => {
  await open()
  const app = await clientWith(CALLBACKS.loopback)
  const cookie = await sessionCookie(service.baseUrl)
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }
  const page = await app.visit(app.authorizationUrl({ scope: 'courses:read', ...challenge }), { cookie })
  const address = ID.replace('app.dev', '<strong class="host">app.dev</strong>')
  expect(page.body).toContain(`<dt>Described by</dt><dd><code dir="ltr">${address}</code></dd>`)
  expect(page.body).toContain('Any program on this device can pretend to be this app.')
})

it('fetches no document before the user has signed in', async () => {
  await open()
  const query = new URLSearchParams({
    client_id: ID,
    redirect_uri: CALLBACKS.loopback,
    response_type: 'code',
  })
  const answer = await fetch(`${service.baseUrl}/oauth/authorize?${query}`, { redirect: 'manual' })
  expect(answer.status).toBeLessThan(400)
  expect(host.requests).toEqual([])
})

it('sends a code to a website only if the operator admits its document', async () => {
  await open()
  await expect(clientWith(CALLBACKS.website).then((app) => app.tokens('courses:read'))).rejects.toThrow()
  await service.close()
  await open({ CIMD_ADMIT: ID })
  const app = await clientWith(CALLBACKS.website)
  expect(await app.tokens('courses:read')).toMatchObject({ scope: 'courses:read' })
})

it('does not fetch a pinned document', async () => {
  const CIMD_PINNED = join(await temporaryFolder(), 'pinned.json')
  await writeFile(CIMD_PINNED, `[${DOCUMENT.body}]`)
  await open({ CIMD_PINNED })
  const app = await clientWith(CALLBACKS.loopback)
  expect(await app.tokens('courses:read')).toMatchObject({ scope: 'courses:read' })
  expect(host.requests).toEqual([])
})

describe('a document with keys alone', () => {
  const KEYS = 'https://app.dev/keys'
  const WITH_KEYS = { CLIENT_AUTHENTICATION: 'none,private_key_jwt' }

  async function keyed() {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwks = JSON.stringify({ keys: [await exportJWK(publicKey)] })
    const members = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: KEYS }
    const publish = (answer: HostAnswer) => {
      host.answer = (id) => (id === KEYS ? answer : documentOf(id, members))
    }
    return { privateKey, publish, jwks }
  }

  async function redeemed(privateKey?: CryptoKey) {
    const app = await clientWith(CALLBACKS.loopback)
    const code = await app.approve('courses:read')
    if (privateKey === undefined) return app.redeem(code)
    const jwt = new SignJWT({ iss: ID, sub: ID, aud: service.baseUrl, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256' })
      .setExpirationTime('2m')
    const client_assertion = await jwt.sign(privateKey)
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    return app.redeem(code, { client_assertion, client_assertion_type })
  }

  it('gets tokens with a proof and 401 without', async () => {
    await open(WITH_KEYS)
    const { privateKey, publish, jwks } = await keyed()
    publish({ body: jwks })
    expect(await redeemed(privateKey)).toMatchObject({ status: 200 })
    expect(await redeemed()).toMatchObject({ status: 401, error: 'invalid_client' })
    expect(host.requests, 'each once').toEqual([ID, KEYS])
  })

  it.each<[string, HostAnswer]>([
    ['redirects', { status: 302, headers: { location: 'https://169.254.169.254/' } }],
    ['is away', { status: 503 }],
    ['says more than 64 KiB', { body: JSON.stringify({ keys: [], padding: 'x'.repeat(64 * 1024) }) }],
  ])('gets a 503 while its jwks_uri %s', async (_, answer) => {
    await open(WITH_KEYS)
    const { privateKey, publish } = await keyed()
    publish(answer)
    expect(await redeemed(privateKey)).toMatchObject({ status: 503 })
    expect(await redeemed(privateKey), 'at once again').toMatchObject({ status: 503 })
    expect(host.requests).toEqual([ID, KEYS])
  })

  it('is rejected with a clear error if assertions are not enabled', async () => {
    await open()
    const { publish, jwks } = await keyed()
    publish({ body: jwks })
    await expect(redeemed()).rejects.toThrow('unauthorized_client')
  })
})

it('shows in its metadata whether it supports documents', async () => {
  const offered = async () => {
    const answer = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`)
    return ((await answer.json()) as { client_id_metadata_document_supported: boolean })
      .client_id_metadata_document_supported
  }
  await open()
  expect(await offered()).toBe(true)
  await service.close()
  await open({ CIMD: 'off' })
  expect(await offered()).toBe(false)
})

/** Files that a command, or a second service, can open too. */
async function storageInFiles() {
  const folder = await temporaryFolder()
  const inFolder = (name: string) => `sqlite:${join(folder, name)}`
  return { DATABASE_URL: inFolder('service.sqlite'), STORE_URL: inFolder('grants.sqlite') }
}

it('is in the list of all clients, and in the list of its own origin only', async () => {
  const environment = { ...(await storageInFiles()), ...host.settings(['app.dev']) }
  await open(environment)
  await (await clientWith(CALLBACKS.loopback)).tokens('courses:read')
  const { clientId: client_id } = await service.clients.add({
    clientName: 'Zap',
    redirectUris: ['https://zap.dev/'],
  })
  const listed = async (origin: string) => {
    const program = run('cli.ts clients', ['list', '--json', '--origin', origin], { environment })
    await program.ended
    return program
      .output()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).clientId)
  }
  expect(await listed('document')).toEqual([ID])
  expect(await listed('integration')).toEqual([client_id])
})

it('is shown to operators as described by a document, and disappears when they remove it', async () => {
  await open({ CLIENT_AUTHENTICATION: 'none,private_key_jwt' })
  const methods = ['none', 'private_key_jwt']
  const keys = { jwks_uri: 'https://app.dev/keys', token_endpoint_auth_methods_supported: methods }
  host.answer = () => documentOf(ID, keys)
  await service.accounts.setAdmin('demo-account', true)
  const app = await clientWith(CALLBACKS.loopback)
  const { access_token } = await app.tokens('courses:read')
  const cookie = await sessionCookie(service.baseUrl)
  const visit = (path: string, init: RequestInit = {}) =>
    fetch(`${service.baseUrl}/admin${path}`, { redirect: 'manual', ...init, headers: { cookie } })
  const page = `/client?id=${encodeURIComponent(ID)}`
  expect(await (await visit('/clients')).text()).toContain('described by a document')
  const shown = await (await visit(page)).text()
  expect(shown).toContain('A document describes it, and the host of the document is verified.')
  expect(shown).toMatch(/Authenticates by<\/dt>\s*<dd>none or private_key_jwt</)
  const token = /name="token" value="([^"]+)"/.exec(shown)?.[1] ?? ''
  await visit(page, { method: 'POST', body: new URLSearchParams({ token }) })
  expect((await visit(page)).status).toBe(404)
  const authorization = `Bearer ${access_token}`
  expect((await fetch(`${service.baseUrl}/api/courses`, { headers: { authorization } })).status).toBe(401)
})

it('records in the audit trail which members of its document changed after a consent', async () => {
  const storage = await storageInFiles()
  await open(storage)
  await (await clientWith(CALLBACKS.loopback)).tokens('courses:read')
  host.answer = () => documentOf(ID, { client_name: 'New', redirect_uris: Object.values(CALLBACKS) })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60 * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  await (await clientWith(CALLBACKS.loopback)).tokens('courses:read')
  await service.close()
  const database = await connected(storage.DATABASE_URL)
  const { entries } = await auditPage(database, { types: ['client_document_changed'] }, 10)
  expect(entries).toMatchObject([{ clientId: ID, members: ['clientName'], network: '127.0.0.0/24' }])
})
