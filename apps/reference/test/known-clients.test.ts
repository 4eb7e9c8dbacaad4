import { KNOWN_CLIENTS } from '@grantkit/core/known-clients'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'
import { sessionCookie, user } from './user.ts'

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
/** The page that a signed-in user gets for the link of a client that an attacker registered with the redirect URIs of Cursor. */
async function openedByVictim(service: RunningService, redirect_uri: string) {
  const { client_id } = await register(service, CURSOR)
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id, redirect_uri, scope: 'courses:read', state: 'of the attacker' },
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const headers = { cookie: await sessionCookie(service.baseUrl) }
  return (await fetch(`${service.baseUrl}/oauth/authorize?${query}`, { headers })).text()
}

/** What the doctor says of Cursor, by the id of the check. */
async function examineCursor({ baseUrl }: RunningService) {
  const doctor = run('../../../packages/doctor/src/bin.ts', [baseUrl, '--client', 'cursor', '--json'])
  const status = await doctor.ended
  const findings = JSON.parse(doctor.output()) as { id: string; verdict: string; seen?: string }[]
  return { status, ...Object.fromEntries(findings.map(({ id, verdict, seen }) => [id, seen ?? verdict])) }
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
      error_description: expect.stringContaining(
        'This server has not enabled this client. Ask its operator to enable it: add cursor to KNOWN_CLIENTS',
      ),
    })
  })

  it('rejects Cursor, according to the doctor', async () => {
    expect(await examineCursor(service)).toMatchObject({
      status: 1,
      'client-registration': expect.stringContaining('add cursor to KNOWN_CLIENTS'),
      'client-authorization': 'skipped',
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

  it('accepts Cursor, according to the doctor', async () => {
    expect(await examineCursor(service)).toMatchObject({
      status: 0,
      'client-registration': 'passed',
      'client-authorization': 'passed',
    })
  })

  it('signs its user in at the https one', async () => {
    const { client_id: clientId } = await register(service, CURSOR)
    const client = { clientId, redirectUris: urisOf('cursor').filter((uri) => uri.startsWith('https:')) }
    const app = await testClient(service.baseUrl, { client, browser: user(service.baseUrl) })
    expect(await app.tokens('courses:read')).toMatchObject({ scope: 'courses:read' })
  })

  it('shows the victim of a malicious link which app would get access', async () => {
    const page = await openedByVictim(service, CURSOR[2] ?? '')
    expect(page).toMatch(
      /<p class="app-name"><bdi>Cursor<\/bdi><\/p>\s*<p class="quiet">Verified: .*cursor\.com/,
    )
    expect(page.indexOf('cursor.com')).toBeLessThan(page.indexOf('The app calls itself <bdi>Mine</bdi>.'))
    expect(page).toContain(
      'Whoever began this at <bdi dir="ltr">cursor.com</bdi> can use this access as you.',
    )
    expect(page).toMatch(/value="deny"[\s\S]*value="allow" class=""/)
  })

  it.each(CURSOR.slice(0, 2))('verifies nothing where that link goes to %s', async (uri) => {
    const page = await openedByVictim(service, uri)
    expect(page).toContain('<p class="app-name"><bdi>Mine</bdi></p>')
    expect(page).toContain('Not verified: it chose this name itself.')
    expect(page).not.toContain('Verified: ')
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
