import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'
import { browserOf } from './signed-in-browser.ts'

/** The admin page of the initial access tokens, and registration with one by an independent client library. */

const PATH = '/admin/initial-access-tokens'

let server: RunningServer
let browse: Awaited<ReturnType<typeof browserOf>>
beforeAll(async () => {
  server = await runServer({ INITIAL_ACCESS_TOKENS: 'on' })
  await server.accounts.setAdmin('demo-account', true)
  browse = await browserOf(server, 'demo')
})
afterAll(() => server.close())

async function act(fields: Record<string, string>) {
  const [, token = ''] = /name="token" value="([^"]+)"/.exec((await browse(PATH)).html) ?? []
  return browse(PATH, {}, { token, ...fields })
}

const make = (label: string, more: object = {}) =>
  act({ action: 'add', label, uses: '2', expires_in: '7', scopes: 'notes:read', ...more })
const textIn = ({ html }: { html: string }) => /gki_[\w-]{22}\.[\w-]{43}/.exec(html)?.[0] ?? ''

async function register(token: string): Promise<number> {
  const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'] })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  return (await fetch(`${server.baseUrl}/api/oauth/register`, { method: 'POST', headers, body })).status
}

it.each([
  [PATH, false],
  ['/admin', true],
  ['/admin/users', true],
  ['/admin/users?email=nobody', false],
  ['/admin/user?id=nobody', false],
  ['/admin/clients?kind=allowed', false],
  ['/admin/client?id=none', false],
  ['/admin/why', false],
  ['/admin/why/7K3M-Q2WD', false],
  ['/admin/trail', true],
  ['/admin/trail?client=none', false],
])('says in which time zone its times are, and nothing where it shows none: %s', async (path, hasTimes) => {
  const { html, text } = await browse(path)
  expect([html.includes('<time '), text.includes('Times are in UTC.')]).toEqual([hasTimes, hasTimes])
})

it('makes a token, shows it once, and lists it with its label, uses, scopes and end', async () => {
  const made = await make('Partner <b>')
  const token = textIn(made)
  expect([made.status, await register(token)]).toEqual([200, 201])
  const shown = await browse(PATH)
  expect(shown.text).toMatch(/Partner &lt;b&gt;\s+\S{22} 1 notes:read \d+ \w+ \d{4}/)
  expect(shown.html).not.toContain(token.split('.')[1])
  await register(token)
  expect((await browse(PATH)).text).toContain('used up')
})

it('ends a token, and then it is not in the list', async () => {
  const token = textIn(await make('Short-lived'))
  const id = token.slice(4, 26)
  const ended = await act({ action: 'remove', id })
  expect([ended.status, (await browse(ended.location ?? '')).text]).toEqual([
    303,
    expect.stringContaining('The token has ended.'),
  ])
  expect([(await browse(PATH)).text.includes('Short-lived'), await register(token)]).toEqual([false, 401])
})

it('says what is wrong, and makes no token', async () => {
  for (const [more, words] of [
    [{ label: ' ' }, 'label: must be'],
    [{ uses: '0' }, 'uses: must be'],
    [{ expires_in: 'x' }, 'expiresIn: must be'],
    [{ scopes: 'no:such' }, 'scopes: must be'],
    [{ action: 'no_such' }, 'unknown'],
    [{ token: 'of another page' }, ''],
  ] as const) {
    const answer = await make('Wrong', more)
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining(words) })
    expect(textIn(answer)).toBe('')
  }
  expect((await browse(PATH)).text).not.toContain('Wrong')
})

it('has a link on the page of the clients, and its actions in the trail with the id of the token', async () => {
  expect((await browse('/admin/clients')).html).toContain(`href="${PATH}"`)
  const id = textIn(await make('In the trail')).slice(4, 26)
  const trail = await browse('/admin/trail?type=initial_access_token_added')
  expect(trail.text).toContain(id)
  expect(trail.text).toContain('demo')
})

it('leads to the next page of the list after fifty', async () => {
  for (let n = 0; n < 51; n++) await server.clients.addInitialAccessToken({ label: `Many ${n}` })
  const first = await browse(PATH)
  expect(first.text).toContain('Many 50')
  expect(first.text).not.toContain('Many 0 ')
  const [, query = ''] = /href="[^"]*\?(after=[^"]+)"/.exec(first.html) ?? []
  expect((await browse(`${PATH}?${query.replaceAll('&amp;', '&')}`)).text).toContain('Many 0 ')
})

it('does not exist for users who are no admins, and where registration needs no token', async () => {
  expect((await (await browserOf(server, 'teacher'))(PATH)).status).toBe(404)
  const open = await runServer()
  await open.accounts.setAdmin('demo-account', true)
  const operator = await browserOf(open, 'demo')
  expect((await operator(PATH)).status).toBe(404)
  expect((await operator('/admin/clients')).html).not.toContain(PATH)
  await open.close()
})

it('openid-client registers with an initial access token as often as it has uses, and not without one', async () => {
  const { token } = await server.clients.addInitialAccessToken({ label: 'Partner', uses: 2 })
  const registered = (initialAccessToken?: string) =>
    oidc.dynamicClientRegistration(
      new URL(server.baseUrl),
      { redirect_uris: ['http://127.0.0.1:7001/callback'], token_endpoint_auth_method: 'none' },
      oidc.None(),
      { execute: [oidc.allowInsecureRequests], ...(initialAccessToken && { initialAccessToken }) },
    )
  for (const _ of [1, 2])
    expect((await registered(token)).clientMetadata().client_id).toEqual(expect.any(String))
  for (const refused of [token, `${token}x`, undefined])
    await expect(registered(refused)).rejects.toMatchObject({ status: 401 })
})
