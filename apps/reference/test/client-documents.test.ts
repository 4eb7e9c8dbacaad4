import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type DocumentHost, documentOf, openDocumentHost } from './document-host.ts'
import { type RunningService, runService } from './service.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { sessionCookie, user } from './user.ts'

/** Clients whose id is the address of a document, from a host with a certificate, through the whole service. */

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

/** @param settings beside those that lead to the host */
async function open(settings: Record<string, string> = {}) {
  host.asked.length = 0
  service = await runService({ ...host.settings(['app.dev']), ...settings })
}

const clientWith = (redirectUri: string) => {
  const client = { client_id: ID, redirect_uris: [redirectUri] }
  return testClient(service.baseUrl, { client, browser: user(service.baseUrl) })
}

it('lets in a client by its document, and keeps it signed in', async () => {
  await open()
  const app = await clientWith('http://127.0.0.1:49152/callback')
  const tokens = await app.tokens('courses:read')
  expect(tokens).toMatchObject({ scope: 'courses:read' })
  expect(await app.refresh(tokens.refresh_token)).toMatchObject({ status: 200 })
  expect(host.asked).toEqual([ID])
})

it('shows the user whose word it is, and that any program can be the app', async () => {
  await open()
  const app = await clientWith(CALLBACKS.loopback)
  const cookie = await sessionCookie(service.baseUrl)
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }
  const page = await app.visit(app.authorizationUrl({ scope: 'courses:read', ...challenge }), { cookie })
  expect(page.body).toContain('<dt>Described by</dt><dd><code>app.dev</code>')
  expect(page.body).toContain(`<code>${ID}</code>`)
  expect(page.body).toContain('Any program on this device can pretend to be this app.')
})

it('asks nobody before the user has signed in', async () => {
  await open()
  const query = new URLSearchParams({
    client_id: ID,
    redirect_uri: CALLBACKS.loopback,
    response_type: 'code',
  })
  const answer = await fetch(`${service.baseUrl}/oauth/authorize?${query}`, { redirect: 'manual' })
  expect(answer.status).toBeLessThan(400)
  expect(host.asked).toEqual([])
})

it('sends codes to a website only if the operator admits its document', async () => {
  await open()
  await expect(clientWith(CALLBACKS.website).then((app) => app.tokens('courses:read'))).rejects.toThrow()
  await service.close()
  await open({ CIMD_ADMIT: ID })
  const app = await clientWith(CALLBACKS.website)
  expect(await app.tokens('courses:read')).toMatchObject({ scope: 'courses:read' })
})

it('asks nobody for a document that is pinned', async () => {
  const CIMD_PINNED = join(await temporaryFolder(), 'pinned.json')
  await writeFile(CIMD_PINNED, `[${DOCUMENT.body}]`)
  await open({ CIMD_PINNED })
  const app = await clientWith(CALLBACKS.loopback)
  expect(await app.tokens('courses:read')).toMatchObject({ scope: 'courses:read' })
  expect(host.asked).toEqual([])
})

it('says in its metadata whether it takes documents', async () => {
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
