import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { linkIn, type MailServer, runMailServer } from '@grantkit/test-servers/mail-server'
import { type RunningProvider, runOpenIdProvider } from '@grantkit/test-servers/openid-provider'
import { quickHash } from '@grantkit/test-servers/quick-hash'
import { softwareAuthenticator } from '@grantkit/test-servers/software-authenticator'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { formBrowser } from '@grantkit/testkit/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PasskeyBrowser, type Shown } from './passkey-browser.ts'
import { DANA } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** An attack on one account: others guess at its password from 500 networks. */

const CALLBACK = '/login/with/partner/callback'
const SIGN_IN = '/login?prompt=login&return_to=/account'
const MINUTE = 60
const HOME = '203.0.113.7'
const [NETWORKS, AT_ONCE] = [500, 20]

let mailServer: MailServer
let provider: RunningProvider
let server: RunningServer
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  mailServer = await runMailServer()
  const UPSTREAM_FILE = join(await temporaryFolder(), 'upstream.json')
  server = await runServer(async (port) => {
    const BASE_URL = `http://localhost:${port}`
    const claims = () => ({ email: DANA.email, email_verified: true })
    provider = await runOpenIdProvider(`${BASE_URL}${CALLBACK}`, claims)
    const providers = [{ ...provider.provider, linkVerifiedEmail: true }]
    await writeFile(UPSTREAM_FILE, JSON.stringify({ providers }))
    return { BASE_URL, UPSTREAM_FILE, TRUST_PROXY: 'loopback', ...mailServer.environment }
  })
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([server.close(), provider.close(), mailServer.close()])
})

/** The sign-in form, sent from any network by a browser that no account knows. */
async function stranger(email = DANA.email) {
  const login = await fetch(`${server.baseUrl}/login`)
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(await login.text()) ?? []
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return async (address: string, password: string) => {
    const { status, headers, ...answer } = await fetch(`${server.baseUrl}/login`, {
      method: 'POST',
      headers: { cookie, 'x-forwarded-for': address },
      body: new URLSearchParams({ token, email, password }),
      redirect: 'manual',
    }).then(async (page) => ({ status: page.status, headers: page.headers, text: await page.text() }))
    const problem = /role="alert">([^<]*)/.exec(answer.text)?.[1]
    return { status, problem, wait: Number(headers.get('retry-after') ?? 0) }
  }
}

/** Wrong passwords from 500 networks, some at the same time. @returns how many were checked */
async function attack(guesses: number): Promise<number> {
  const guess = await stranger()
  let checked = 0
  for (let n = 0; n < guesses; n += AT_ONCE) {
    const networks = Array.from({ length: AT_ONCE }, (_, more) => (n + more) % NETWORKS)
    const answers = await Promise.all(
      networks.map((of) => guess(`10.0.${of >> 8}.${of & 255}`, `guess ${of}`)),
    )
    checked += answers.filter(({ status }) => status === 401).length
  }
  return checked
}

const where = ({ url, status }: Shown) => `${url.pathname} ${status}`
const signInsSince = (before: number) =>
  server.events.slice(before).flatMap((event) => (event.type === 'sign_in_succeeded' ? [event] : []))

it('lets the owner in at once by a known browser, a passkey, a provider and the link of a mail', async () => {
  const known = new PasskeyBrowser(server.baseUrl)
  const passkey = softwareAuthenticator(server.baseUrl)
  await known.byPassword(await known.go(SIGN_IN))
  await known.addPasskey(passkey)
  expect(await attack(NETWORKS)).toBe(20)
  expect(await (await stranger())(HOME, 'demo'), 'a new browser').toMatchObject({ status: 429, wait: MINUTE })
  const before = server.events.length
  expect(where(await known.byPassword(await known.go(SIGN_IN)))).toBe('/account 200')
  const withPasskey = new PasskeyBrowser(server.baseUrl)
  expect(where(await withPasskey.byPasskey(await withPasskey.go(SIGN_IN), passkey))).toBe('/account 200')
  expect(where(await byProvider(new PasskeyBrowser(server.baseUrl)))).toBe('/account 200')
  const password = await byMail(new PasskeyBrowser(server.baseUrl))
  expect(where(password)).toBe('/account 200')
  const ways = signInsSince(before)
  expect(ways.map(({ signedInBy }) => signedInBy)).toEqual([
    ...['password', 'passkey', 'provider partner', 'password'],
  ])
  expect(new Set(ways.map(({ subject }) => subject))).toEqual(new Set([DANA.id]))
  const told = [
    'New passkey',
    'New password for Notes',
    'New way to sign in',
    'Wrong passwords',
    'Your password was changed',
  ]
  await expect.poll(() => told.filter((subject) => mailsAbout(subject).length === 1)).toEqual(told)
})

const mailsAbout = (subject: string) =>
  mailServer.mails.filter(({ to, content }) => to === DANA.email && content.includes(`\nSubject: ${subject}`))

async function byProvider(browser: PasskeyBrowser): Promise<Shown> {
  const { body } = await browser.go(SIGN_IN)
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(body) ?? []
  const begun = await browser.go('/login/with/partner', { token, return_to: '/account' })
  const atProvider = formBrowser({ origin: provider.provider.issuer, typed: { login: '' } })
  const { search } = await atProvider(begun.url.href)
  return browser.go(`${CALLBACK}${search}`)
}

/** The attack goes on when the new password is set, and before it is used. */
async function byMail(browser: PasskeyBrowser): Promise<Shown> {
  const isLink = ({ content }: { content: string }) => content.includes('/login/reset?')
  await browser.submit(await browser.go('/login/forgot'), 'email', { email: DANA.email })
  await expect.poll(() => mailServer.mails.filter(isLink)).toHaveLength(1)
  const [mail = { to: '', content: '' }] = mailServer.mails.filter(isLink)
  const chosen = { new_password: 'a new password', new_password_again: 'a new password' }
  await browser.submit(await browser.go(linkIn(mail)), 'new_password', chosen)
  // The same password, with a hash that costs no time.
  const password = quickHash('a new password')
  await server.database.updateTable('account').set({ password }).where('id', '=', DANA.id).execute()
  expect(await attack(40), 'the link has reset the waits').toBe(20)
  const typed = { email: DANA.email, password: 'a new password' }
  return browser.submit(await browser.go(SIGN_IN), 'password', typed)
}

it('lets the owner in by a new browser after a quarter of an hour at most', async () => {
  const waits: number[] = []
  await attack(20)
  for (let n = 0; n < 8; n++) {
    const { wait } = await (await stranger())(`10.1.0.${n}`, 'a guess in time')
    waits.push(wait / MINUTE)
    vi.setSystemTime(Date.now() + wait * 1000)
    expect((await (await stranger())(`10.1.0.${n}`, 'a guess in time')).status).toBe(401)
  }
  expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15, 15])
  vi.setSystemTime(Date.now() + 15 * MINUTE * 1000)
  expect((await (await stranger())(HOME, 'demo')).status).toBe(303)
})

it('lets the owner in by a new browser after an operator has set a password', async () => {
  await attack(20)
  expect((await (await stranger())(HOME, 'demo')).status).toBe(429)
  await server.operator.users.setPassword(DANA.id, 'of the operator')
  expect((await (await stranger())(HOME, 'of the operator')).status).toBe(303)
})

it('makes a known browser wait too after a sign-out everywhere', async () => {
  const known = new PasskeyBrowser(server.baseUrl)
  await known.byPassword(await known.go(SIGN_IN))
  await attack(20)
  expect(where(await known.byPassword(await known.go(SIGN_IN)))).toBe('/account 200')
  await server.accounts.endSessions(DANA.id, 'user')
  expect(where(await known.byPassword(await known.go(SIGN_IN)))).toBe('/login 429')
})
