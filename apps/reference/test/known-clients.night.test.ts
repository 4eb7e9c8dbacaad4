import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'

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

  it('accepts Cursor, according to the doctor', async () => {
    const args = [service.baseUrl, '--client', 'cursor', '--json']
    const doctor = run('../../../packages/doctor/src/bin.ts', args)
    expect(await doctor.ended, doctor.output()).toBe(0)
    expect(JSON.parse(doctor.output())).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'client-registration', verdict: 'passed' }),
        expect.objectContaining({ id: 'client-authorization', verdict: 'passed' }),
      ]),
    )
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

  it.each(DOCUMENTS)('names it in %s, and all but llms.txt list its redirect URIs', async (path) => {
    const text = await textAt(service, path)
    expect(text).toContain('Cursor')
    if (path !== '/llms.txt') for (const uri of urisOf('cursor')) expect(text).toContain(uri)
  })
})
