import { rm } from 'node:fs/promises'
import { toFetchHandler } from '@grantkit/core/adapter'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../src/config/config.ts'
import { createService } from '../src/service/service.ts'
import { openStorage } from '../src/storage.ts'
import { openSignIn } from './provider-sign-in.ts'

/** What a user sees who came by a provider and signs out, in the process. */

const BASE_URL = 'http://127.0.0.1:3000'
const END = 'https://op.example/end'

interface Page {
  readonly status: number
  /** A redirect, or a refresh. */
  readonly leadsTo: string
  readonly text: string
}

/** @param isLeft the browser goes on before it has the answer, as after a second click */
type Go = (address: string, form?: Readonly<Record<string, string>>, isLeft?: boolean) => Promise<Page>

/** A browser whose user has just signed in with the provider. @param metadata of the provider */
async function signedIn(settings: object = {}, metadata = { end_session_endpoint: END }) {
  const { op, provider, fetch } = openSignIn({ change: { metadata } }, { signUp: true, ...settings })
  const dataFolder = await folderInMemory('sign-out')
  const scopes = { openid: { description: 'Know who you are' } }
  const written = { baseUrl: BASE_URL, database: 'memory:', dataFolder, scopes }
  const config = parseConfig({ config: written, environment: { LOGOUT: 'on' } })
  const storage = await openStorage(config, () => {}, { definition: {} })
  const observers = { onEvent: () => {}, onError: () => {} }
  const example = { provider, fetch, page: () => new Hono() }
  const service = await createService({ definition: {}, config, storage, observers, example })
  onTestFinished(async () => {
    await service.settled()
    await storage.close()
    await rm(dataFolder, { recursive: true })
  })
  const core = toFetchHandler(service)
  const cookies = new Map<string, string>()

  const go: Go = async (address, form, isLeft = false) => {
    const url = new URL(address, BASE_URL)
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const sent = form && { method: 'POST', body: new URLSearchParams(form) }
    const request = new Request(url, { headers: { cookie }, ...sent })
    const incoming = { socket: { remoteAddress: '127.0.0.1' } }
    const isOfCore = service.routes.some(({ path }) => path === url.pathname)
    const response = await (isOfCore ? core(request) : service.app.fetch(request, { incoming }))
    const { status, headers } = response
    for (const line of isLeft ? [] : headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    const leadsTo = headers.get('location') ?? headers.get('refresh')?.replace('0;url=', '') ?? ''
    return { status, leadsTo, text: await response.text() }
  }

  const back = async ({ leadsTo }: Page) => go(op.visit(leadsTo).headers.get('location') ?? '')
  const signIn = async () =>
    back(await submitted(go, '/login/with/partner', { return_to: '/account' }, '/login'))
  await signIn()
  const sessions = () => storage.database.selectFrom('session').select('id').execute()
  const endSession = async (id: string) => {
    await storage.database.deleteFrom('session').where('id', '=', id).execute()
  }
  return Object.assign(go, { back, signIn, cookies, sessions, endSession })
}

/** Sends a form with the token of a page. */
async function submitted(go: Go, address: string, form: Readonly<Record<string, string>>, from = '/account') {
  const [, token = ''] = /name="token" value="([^"]+)"/.exec((await go(from)).text) ?? []
  return go(address, { token, ...form })
}

describe.each<readonly [string, (go: Go) => Promise<Page>]>([
  ['on the sign-out page', (go) => go('/logout', { return_to: '/account' })],
  ['everywhere', (go) => submitted(go, '/account/sign-out', {})],
  [
    'for an app that names no address to go on',
    async (go) => {
      const { text } = await go('/oauth/logout')
      const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(text) ?? []
      const [, ticket = ''] = /name="ticket" value="([^"]+)"/.exec(text) ?? []
      return go(action, { ticket })
    },
  ],
])('a user of a provider who signs out %s', (_, signOut) => {
  it('reads that the session at the provider goes on', async () => {
    const go = await signedIn()
    const page = await signOut(go)
    expect([page.status, page.leadsTo]).toEqual([200, ''])
    expect(page.text).toContain('You are still signed in at Partner.')
    expect((await go('/account')).status, 'the session here').toBe(303)
  })

  it('is sent to the sign-out of the provider with signOut', async () => {
    const go = await signedIn({ signOut: 'provider' })
    const page = await signOut(go)
    expect([page.status, page.leadsTo]).toEqual([200, expect.stringMatching(/^https:\/\/op\.example\/end\?/)])
    expect(page.text, 'if the browser does not go on by itself').toContain(`<a href="${END}?`)
    expect((await go('/account')).status, 'the session here').toBe(303)
  })

  it('reads it also with signOut where the provider has no sign-out', async () => {
    const go = await signedIn({ signOut: 'provider' }, { end_session_endpoint: '' })
    const page = await signOut(go)
    expect([page.status, page.leadsTo]).toEqual([200, ''])
    expect(page.text).toContain('You are still signed in at Partner.')
  })
})

const PASSWORD = { new_password: 'four words of a test', new_password_again: 'four words of a test' }

it.each<readonly [string, (go: Awaited<ReturnType<typeof signedIn>>) => Promise<Page>]>([
  ['has set a password', (go) => submitted(go, '/account/password', PASSWORD)],
  [
    'has connected a provider',
    async (go) => go.back(await submitted(go, '/account/identities', { provider: 'partner' })),
  ],
])('a user of a provider who %s and signs out is sent to the sign-out of the provider', async (_, change) => {
  const go = await signedIn({ signOut: 'provider' })
  expect((await change(go)).status, 'the change').toBe(303)
  expect((await go('/logout', {})).leadsTo).toMatch(/^https:\/\/op\.example\/end\?/)
})

it.each(['/logout', '/account/sign-out'])(
  'a second click on the form of %s leads there too',
  async (path) => {
    const go = await signedIn({ signOut: 'provider' })
    const [, token = ''] = /name="token" value="([^"]+)"/.exec((await go('/account')).text) ?? []
    const first = await go(path, { token, return_to: '/account' }, true)
    const second = await go(path, { token, return_to: '/account' })
    expect([second.status, second.leadsTo]).toEqual([200, first.leadsTo])
    expect(first.leadsTo).toMatch(/^https:\/\/op\.example\/end\?/)
  },
)

it('Sign out everywhere ends nothing in a browser whose session has ended: its user signs in for it', async () => {
  const go = await signedIn({ signOut: 'provider' })
  const [, token = ''] = /name="token" value="([^"]+)"/.exec((await go('/account')).text) ?? []
  const here = new Map(go.cookies)
  const [session] = await go.sessions()
  go.cookies.clear()
  await go.signIn()
  await go.endSession(session?.id ?? '')
  go.cookies.clear()
  for (const [name, value] of here) go.cookies.set(name, value)
  const page = await go('/account/sign-out', { token })
  expect([page.status, page.leadsTo]).toEqual([303, expect.stringMatching(/^\/login\?/)])
  expect((await go.sessions()).length, 'the session of the other browser').toBe(1)
})

it('the provider leads back to the sign-in page, for what the user wanted', async () => {
  const go = await signedIn({ signOut: 'provider' })
  const wanted = '/oauth/authorize?client_id=gone&ui_locales=de'
  const { searchParams } = new URL((await go('/logout', { return_to: wanted })).leadsTo)
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: 'grantkit',
    post_logout_redirect_uri: `${BASE_URL}/login`,
    state: wanted,
  })
  const back = async (state: string) => (await go(`/login?${new URLSearchParams({ state })}`)).leadsTo
  const there = new URLSearchParams({ return_to: wanted, ui_locales: 'de' })
  expect(await back(wanted)).toBe(`/login?${there}`)
  expect(await back('//evil.example')).toBe('/login?return_to=%2F')
})

it.each([
  '/oauth/authorize?scope=a+b%20c&state=%7E~&client_id=gone',
  '/oauth/authorize?client_id=gone&request_uri=urn%3Aa',
  '/oauth/requests?request=an-id',
  `/${'a'.repeat(999)}`,
])('the provider gets the page that the user wanted, byte for byte: %s', async (wanted) => {
  const go = await signedIn({ signOut: 'provider' })
  const { searchParams } = new URL((await go('/logout', { return_to: wanted })).leadsTo)
  expect(searchParams.get('state')).toBe(wanted)
})

it.each([
  ['with login_hint', '/oauth/authorize?client_id=gone&login_hint=ada%40example.com&scope=openid'],
  ['with id_token_hint', '/oauth/authorize?client_id=gone&id_token_hint=ey.J.x&scope=openid'],
  ['with request', '/oauth/authorize?client_id=gone&request=ey.J.x'],
  ['of 1,001 characters', `/${'a'.repeat(1000)}`],
])('the provider does not get a page %s, and leads back all the same', async (_, wanted) => {
  const go = await signedIn({ signOut: 'provider' })
  const { searchParams } = new URL((await go('/logout', { return_to: wanted })).leadsTo)
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: 'grantkit',
    post_logout_redirect_uri: `${BASE_URL}/login`,
  })
})

it('the page that an app names wins over what a provider brings back', async () => {
  const go = await signedIn()
  await go('/logout', {})
  const page = await go('/login?return_to=%2Faccount&state=%2Fadmin')
  expect([page.status, page.text]).toEqual([
    200,
    expect.stringContaining('name="return_to" value="/account"'),
  ])
})

it('the account page names the provider of a session by its label', async () => {
  const go = await signedIn()
  expect((await go('/account')).text).toContain('<li>provider Partner · ')
})
