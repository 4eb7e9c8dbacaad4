import { KNOWN_CLIENTS } from '@grantkit/core/known-clients'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** Which clients with redirect URIs of their own may register, and where the service says so. */

const urisOf = (name: string) => KNOWN_CLIENTS.find(({ id }) => id === name)?.redirectUris ?? []
/** As it registers. */
const CURSOR = ['http://localhost:8787/callback', ...urisOf('cursor')]
const DOCUMENTS = ['/auth.md', '/llms.txt', '/openapi.json']

async function register({ baseUrl }: RunningService, redirect_uris: readonly string[]) {
  const body = JSON.stringify({ client_name: 'Mine', redirect_uris, token_endpoint_auth_method: 'none' })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${baseUrl}/api/oauth/register`, { method: 'POST', headers, body })
  return { status: answer.status, ...(await answer.json()) }
}
const textAt = async ({ baseUrl }: RunningService, path: string) => (await fetch(baseUrl + path)).text()

describe('the service by default', () => {
  let service: RunningService
  beforeAll(async () => {
    service = await runService()
  })
  afterAll(() => service.close())

  it('refuses a known client, and names the setting', async () => {
    expect(await register(service, CURSOR)).toMatchObject({
      status: 400,
      error: 'invalid_redirect_uri',
      error_description: expect.stringContaining('The operator can allow this client: KNOWN_CLIENTS=cursor'),
    })
  })

  it.each(DOCUMENTS)('names no known client in %s', async (path) => {
    expect(await textAt(service, path)).not.toMatch(/Cursor|known client/)
  })
})

describe('the service with KNOWN_CLIENTS=cursor', () => {
  let service: RunningService
  beforeAll(async () => {
    service = await runService({ KNOWN_CLIENTS: 'cursor' })
  })
  afterAll(() => service.close())

  it('registers its redirect URIs as they are', async () => {
    expect(await register(service, CURSOR)).toMatchObject({ status: 201, redirect_uris: CURSOR })
  })

  it('signs its user in at the https one', async () => {
    const { client_id: clientId } = await register(service, CURSOR)
    const client = { clientId, redirectUris: urisOf('cursor').filter((uri) => uri.startsWith('https:')) }
    const app = await testClient(service.baseUrl, { client, browser: user(service.baseUrl) })
    expect(await app.tokens('courses:read')).toMatchObject({ scope: 'courses:read' })
  })

  it('refuses every other address, next to a known one too', async () => {
    for (const uris of [['https://app.example/cb'], [...CURSOR, 'https://app.example/cb'], urisOf('claude')])
      expect(await register(service, uris)).toMatchObject({ status: 400, error: 'invalid_redirect_uri' })
  })

  it.each(DOCUMENTS)('names it in %s', async (path) => {
    expect(await textAt(service, path)).toContain('Cursor')
  })

  it.each(['/auth.md', '/openapi.json'])('has its addresses in %s', async (path) => {
    const text = await textAt(service, path)
    for (const uri of urisOf('cursor')) expect(text).toContain(uri)
  })
})
