import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'
import { browserOf } from './signed-in-browser.ts'

/** The forms of the admin page of a client. */

let server: RunningServer
let browse: Awaited<ReturnType<typeof browserOf>>
beforeAll(async () => {
  server = await runServer({ INITIAL_ACCESS_TOKENS: 'on', BACK_CHANNEL_LOGOUT: 'on' })
  await server.accounts.setAdmin('demo-account', true)
  browse = await browserOf(server, 'demo')
})
afterAll(() => server.close())

async function withClient() {
  const client = await server.clients.add({
    clientName: 'Portal',
    redirectUris: ['https://portal.example/cb'],
    scopes: ['notes:read'],
  })
  const path = `/admin/client?id=${client.clientId}`
  const { html } = await browse(path)
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(html) ?? []
  const [, revision = ''] = /name="revision" value="([^"]+)"/.exec(html) ?? []
  const act = (fields: Record<string, string>) => browse(path, {}, { token, ...fields })
  return { ...client, path, act, revision }
}

/** What the page says to which a form redirects. */
async function noticeAfter({ location }: { readonly location: string | null }) {
  return /role="status">([^<]+)/.exec((await browse(location ?? '')).html)?.[1]
}

/** Whether the server takes the secret. */
async function takes(clientId: string, secret: string | undefined): Promise<boolean> {
  const body = new URLSearchParams({ token: 'x', client_id: clientId, client_secret: secret ?? '' })
  return (await fetch(`${server.baseUrl}/api/oauth/introspect`, { method: 'POST', body })).ok
}

it('makes a new secret, shows it once, and ends the older one', async () => {
  const { clientId, clientSecret, act, path } = await withClient()
  const made = await act({ action: 'rotate_secret', overlap: '604800' })
  const [, newest = ''] = /<code>([\w-]{43})<\/code>/.exec(made.html) ?? []
  expect([made.status, await takes(clientId, newest), await takes(clientId, clientSecret)]).toEqual([
    200,
    true,
    true,
  ])
  const shown = await browse(path)
  expect(shown.html).not.toContain(newest)
  expect(shown.text).toContain('The older secret ends')
  const again = await act({ action: 'rotate_secret', overlap: '86400' })
  expect(again.text, 'a reload makes no third secret').toContain('Two secrets of this client are live')
  const ended = await act({ action: 'drop_old_secret' })
  expect([ended.status, await noticeAfter(ended)]).toEqual([303, 'The older secret has ended.'])
  expect([await takes(clientId, newest), await takes(clientId, clientSecret)]).toEqual([true, false])
})

it('says what a form did to the browser that sent it, and nothing that an address says', async () => {
  const { act, path } = await withClient()
  const { html } = await browse(`${path}&notice=forged`)
  const { location } = await act({ action: 'remove' })
  const elsewhere = await (await browserOf(server, 'demo'))(location ?? '')
  expect([await noticeAfter({ location }), html.includes('forged')]).toEqual([
    'The client is removed.',
    false,
  ])
  expect(elsewhere.html).not.toContain('The client is removed.')
})

it('changes name, redirect URIs and scopes, if the client is the one that was shown', async () => {
  const { clientId, act, revision } = await withClient()
  const fields = {
    action: 'update',
    revision,
    client_name: 'Gate',
    redirect_uris: 'https://gate.example/cb\r\nhttps://gate.example/other\r\n',
    scopes: 'notes:read\r\nopenid',
  }
  const saved = await act(fields)
  expect([saved.status, await noticeAfter(saved)]).toEqual([303, 'The changes are saved.'])
  expect(await server.clients.find(clientId)).toMatchObject({
    clientName: 'Gate',
    redirectUris: ['https://gate.example/cb', 'https://gate.example/other'],
    scopes: ['notes:read', 'openid'],
  })
  expect((await act({ ...fields, client_name: 'Late' })).text).toContain('changed meanwhile')
  expect(await server.clients.find(clientId)).toMatchObject({ clientName: 'Gate' })
})

it('shows which scopes a client may request that registered with a token', async () => {
  const { token } = await server.clients.addInitialAccessToken({ label: 'Partner', scopes: ['notes:read'] })
  const answer = await fetch(`${server.baseUrl}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ redirect_uris: ['http://127.0.0.1:7001/callback'] }),
  })
  const { client_id } = await answer.json()
  const { text } = await browse(`/admin/client?id=${client_id}`)
  expect(text).toMatch(/Scopes\s+notes:read/)
  expect(text, 'which token it was').toMatch(/With the token for\s+Partner/)
})

it('says where a client redirects to, and nothing of it where there is no such address', async () => {
  const gate = { clientName: 'Gate', redirectUris: [], resourceServer: true }
  const { clientId } = await server.clients.add(gate)
  const paths = [(await withClient()).path, `/admin/client?id=${clientId}`]
  const texts = await Promise.all(paths.map(async (path) => (await browse(path)).text))
  expect(texts.map((text) => text.includes('Redirects to'))).toEqual([true, false])
})

it('says no application type, which permits nothing', async () => {
  const members = { clientName: 'CRM', redirectUris: ['http://127.0.0.1/cb'], rememberConsent: true }
  const [plain, trusted] = [await withClient(), await server.clients.add(members)]
  expect((await browse(plain.path)).text).not.toMatch(/\bMay\b|application/)
  expect((await browse(`/admin/client?id=${trusted.clientId}`)).text).toMatch(
    /\bMay\s+skip a consent that was given before/,
  )
})

it('shows what a client hears of ended sessions, and that its access ends with them', async () => {
  const { clientId } = await server.clients.add({
    clientName: 'CRM',
    redirectUris: ['https://crm.example/cb'],
    backchannelLogoutUri: 'https://crm.example.com/bcl',
    sessionBound: true,
  })
  const { text } = await browse(`/admin/client?id=${clientId}`)
  expect(text).toContain('https://crm.example.com/bcl')
  expect(text).toContain('with the sign-in, except with offline_access')
})

it('shows the limits of a client, and keeps them when other members change', async () => {
  const { clientId, act, path } = await withClient()
  const seen = await server.clients.find(clientId)
  if (seen === undefined) throw new Error('The client is gone')
  await server.clients.update(clientId, { tokensPerMinute: 60, grantsPerHour: 5 }, { seen })
  const { html, text } = await browse(path)
  expect(text).toContain('60 tokens a minute, 5 new grants an hour')
  const [, revision = ''] = /name="revision" value="([^"]+)"/.exec(html) ?? []
  const uris = { redirect_uris: 'https://gate.example/cb', scopes: 'notes:read' }
  await act({ action: 'update', revision, client_name: 'Gate', ...uris })
  const after = { clientName: 'Gate', tokensPerMinute: 60, grantsPerHour: 5 }
  expect(await server.clients.find(clientId)).toMatchObject(after)
})

it('opens no scope by an empty field', async () => {
  const { clientId, act, revision } = await withClient()
  const fields = { action: 'update', revision, client_name: 'Gate', scopes: ' ' }
  await act({ ...fields, redirect_uris: 'https://portal.example/cb' })
  expect(await server.clients.find(clientId)).toMatchObject({ clientName: 'Gate', scopes: ['notes:read'] })
})

it('says what is wrong, and changes nothing', async () => {
  const { clientId, act, revision } = await withClient()
  const before = await server.clients.find(clientId)
  const update = { action: 'update', revision, client_name: 'Gate', redirect_uris: 'https://a.example/' }
  for (const [fields, words] of [
    [{ ...update, redirect_uris: 'javascript:alert(1)' }, 'must be https'],
    [{ ...update, client_name: ' ' }, 'must have a letter, a digit or an emoji'],
    [{ action: 'rotate_secret', overlap: '9999999' }, 'overlap'],
    [{ action: 'no_such' }, 'unknown'],
    [{ action: 'rotate_secret', token: 'of another page' }, ''],
  ] as const)
    expect(await act(fields as unknown as Record<string, string>)).toMatchObject({
      status: 403,
      text: expect.stringContaining(words),
    })
  expect(await server.clients.find(clientId)).toEqual(before)
})
