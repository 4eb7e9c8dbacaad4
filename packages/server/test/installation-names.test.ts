import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** The names that users give to installations of apps, on the account page. */

describe('the account page', () => {
  let server: RunningServer
  let cookie: string
  beforeAll(async () => {
    server = await runServer()
    cookie = await sessionCookie(server.baseUrl)
  })
  afterAll(() => server.close())

  const account = async () => (await fetch(`${server.baseUrl}/account`, { headers: { cookie } })).text()
  const namesOn = (page: string) =>
    [...page.matchAll(/<h3 class="app-name"><bdi>([^<]*)/g)].map(([, name]) => name)

  async function submit(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(await account()) ?? []
    const body = new URLSearchParams({ ticket: token, ...fields })
    const sent = { cookie, ...headers }
    return fetch(`${server.baseUrl}${path}`, { method: 'POST', redirect: 'manual', headers: sent, body })
  }
  const give = (installation: string, name: string, extra = {}, headers = {}) =>
    submit('/account/apps/name', { installation, name, ...extra }, headers)

  it('shows the name that its user gave an app, and its registered name', async () => {
    const app = await signedIn(server.baseUrl, 'notes:read')
    const answer = await give(app.client_id, ` Old <laptop>${'x'.repeat(100)}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    const page = await account()
    expect(namesOn(page)).toEqual([`Old &lt;laptop&gt;${'x'.repeat(48)}`])
    expect(page).toContain('The app calls itself <bdi>A tool</bdi>')
  })

  it('renames nothing by a form of another page, without a session, or for another user', async () => {
    const app = await signedIn(server.baseUrl, 'notes:read')
    expect((await give(app.client_id, 'Evil', { ticket: 'x' })).status).toBe(403)
    expect((await give(app.client_id, 'Evil', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await give(app.client_id, 'Evil', {}, { cookie: '' })).headers.get('location')).toMatch(
      /^\/login/,
    )
    const theirs = await signedIn(server.baseUrl, 'notes:read', undefined, 'teacher')
    expect((await give(theirs.client_id, 'Evil')).status).toBe(303)
    expect(await account()).not.toContain('Evil')
  })
})
