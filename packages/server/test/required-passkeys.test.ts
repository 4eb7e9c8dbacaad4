import { type MailServer, runMailServer } from '@grantkit/test-servers/mail-server'
import { softwareAuthenticator } from '@grantkit/test-servers/software-authenticator'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { PasskeyBrowser, type Shown } from './passkey-browser.ts'
import { newUser } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** `requirePasskey`: who must sign in with a passkey, before the day and from then on. */

const PASSWORD = 'a password of the tests'
const MINUTE = 60 * 1000
let mailServer: MailServer
let server: RunningServer

const started = (from: string) =>
  runServer(
    (port) => ({ ...mailServer.environment, BASE_URL: `http://localhost:${port}`, RATE_LIMITS: 'off' }),
    {
      scopes: {
        openid: { description: 'Know who you are' },
        'notes:read': { description: 'Read your notes', personal: true },
      },
      features: { personalTokens: { enabled: true } },
      requirePasskey: { who: 'admins', from },
    },
  )

beforeAll(async () => {
  mailServer = await runMailServer()
  server = await started('2020-01-01')
})
afterAll(async () => {
  await server.close()
  await mailServer.close()
})
afterEach(() => void vi.useRealTimers())

/** The time stands still, so many minutes from now. */
function turnTo(minutes: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * MINUTE })
}

/** Where the script of the page asks for the options of a passkey: the address of its form. */
function optionsOf({ body }: Shown): string {
  const [, action = ''] = /action="([^"]*\/passkey\?[^"]*)"/.exec(body) ?? []
  return action.replaceAll('&amp;', '&')
}

/** An admin, in a browser without a session. */
async function newAdmin(at = server) {
  const { id, email } = await newUser(at, PASSWORD)
  await at.accounts.setAdmin(id, true)
  const key = softwareAuthenticator(at.baseUrl)
  const newBrowser = () => new PasskeyBrowser(at.baseUrl)
  const byPassword = async (browser: PasskeyBrowser, path = '/account') =>
    browser.submit(await browser.go(`/login?return_to=${path}`), 'password', { email, password: PASSWORD })
  /** On the page that follows a sign-in. */
  const enrol = async (browser: PasskeyBrowser, page: Shown, by = key) => {
    const { body } = await browser.go(optionsOf(page))
    return browser.submit(page, 'answer', { answer: by.create(JSON.parse(body)), name: 'key' })
  }
  return { id, email, key, newBrowser, byPassword, enrol }
}

/** One who has a passkey. */
async function enrolledAdmin(at = server) {
  const admin = await newAdmin(at)
  const browser = admin.newBrowser()
  const toSignIn = await admin.enrol(browser, await admin.byPassword(browser))
  const account = await browser.byPasskey(toSignIn, admin.key)
  return { ...admin, browser, toSignIn, account }
}

const passkeysOf = async (id: string, { database } = server) =>
  (await database.selectFrom('passkey').select('id').where('account', '=', id).execute()).length

const PAGES = ['/account', '/account/tokens', '/account/passkeys', '/admin', '/admin/users', '/login']

/** What a browser gets that has no session: the sign-in page, or the refusal of a script. */
async function isSignedOut(browser: PasskeyBrowser): Promise<boolean> {
  const app = await testClient(server.baseUrl, { metadata: { client_name: 'Bank' } })
  const authorization = app.authorizationUrl({ scope: 'openid', code_challenge: 'x'.repeat(43) })
  const shown = await Promise.all([...PAGES, authorization].map((path) => browser.go(path)))
  return shown.every(({ url, status }) => url.pathname === '/login' || status === 403)
}

describe('from the day on', () => {
  it('a password leads to the page for a passkey and nowhere else, and then the passkey signs in', async () => {
    const { id, key, newBrowser, byPassword, enrol } = await newAdmin()
    const browser = newBrowser()
    const page = await byPassword(browser, '/admin')
    expect([page.url.pathname, page.status]).toEqual(['/login/enrol', 200])
    expect(page.body).toContain('Until it has one, you are not signed in')
    expect(await isSignedOut(browser)).toBe(true)
    expect(await server.accounts.sessions.list(id)).toEqual([])
    const toSignIn = await enrol(browser, page)
    expect([toSignIn.url.pathname, await isSignedOut(browser)]).toEqual(['/login', true])
    expect((await browser.byPasskey(toSignIn, key)).url.pathname).toBe('/admin')
  })

  it('a user of whom no passkey is demanded signs in as before', async () => {
    const browser = new PasskeyBrowser(server.baseUrl)
    const page = await browser.byPassword(await browser.go('/login?return_to=/account'))
    expect(page.url.pathname).toBe('/account')
  })

  it('a sign-in is good for the first passkey for five minutes, and for one', async () => {
    const { id, newBrowser, byPassword, enrol } = await newAdmin()
    const [first, second, late] = [newBrowser(), newBrowser(), newBrowser()]
    const [page, other, last] = [await byPassword(first), await byPassword(second), await byPassword(late)]
    const { body } = await second.go(optionsOf(other))
    turnTo(5)
    expect((await late.go(optionsOf(last))).status).toBe(403)
    expect((await late.submit(last, 'answer', { answer: '{}' })).status).toBe(403)
    vi.useRealTimers()
    await enrol(first, page)
    expect((await second.go('/login/enrol')).status, 'the page of the other one').toBe(403)
    const answer = softwareAuthenticator(server.baseUrl).create(JSON.parse(body))
    expect((await second.submit(other, 'answer', { answer, name: 'mine' })).status).toBe(403)
    expect(await passkeysOf(id)).toBe(1)
  })

  it('two sign-ins that add a first passkey at once add one', async () => {
    const { id, newBrowser, byPassword, enrol } = await newAdmin()
    const browsers = [newBrowser(), newBrowser(), newBrowser()]
    const pages = await Promise.all(browsers.map((browser) => byPassword(browser)))
    await Promise.all(
      browsers.map((browser, at) =>
        enrol(browser, pages[at] as Shown, softwareAuthenticator(server.baseUrl)).catch(() => undefined),
      ),
    )
    expect(await passkeysOf(id)).toBe(1)
  })

  it('a form adds none for the user of another tab', async () => {
    const [ada, bob] = [await newAdmin(), await newAdmin()]
    const browser = ada.newBrowser()
    const page = await ada.byPassword(browser)
    await bob.byPassword(browser)
    expect((await browser.go(optionsOf(page))).status).toBe(403)
    expect((await browser.submit(page, 'answer', { answer: '{}', name: 'key' })).status).toBe(403)
    expect([await passkeysOf(ada.id), await passkeysOf(bob.id)]).toEqual([0, 0])
  })

  it('a form of another site adds none', async () => {
    const { id, key, newBrowser, byPassword } = await newAdmin()
    const browser = newBrowser()
    const page = await byPassword(browser)
    const { body } = await browser.go(optionsOf(page))
    const filled = { answer: key.create(JSON.parse(body)), name: 'key' }
    const answer = await browser.submit(page, 'answer', filled, { 'sec-fetch-site': 'cross-site' })
    expect([answer.status, await passkeysOf(id)]).toEqual([403, 0])
  })

  it('a session by password counts no more once its user is an admin', async () => {
    const { id, email } = await newUser(server, PASSWORD)
    const browser = new PasskeyBrowser(server.baseUrl)
    await browser.submit(await browser.go('/login'), 'password', { email, password: PASSWORD })
    expect((await browser.go('/account')).url.pathname).toBe('/account')
    await server.accounts.setAdmin(id, true)
    expect(await isSignedOut(browser)).toBe(true)
  })

  it('the last passkey cannot be removed, and another one can', async () => {
    const { id, browser, account } = await enrolledAdmin()
    const remove = (page: Shown) => browser.submit(page, 'id', {})
    expect((await remove(account)).body).toContain('a passkey that your account needs')
    expect(await passkeysOf(id)).toBe(1)
    await browser.addPasskey(softwareAuthenticator(server.baseUrl))
    await remove(await browser.go('/account'))
    expect(await passkeysOf(id)).toBe(1)
  })

  it('a new password by a mail does not lift it', async () => {
    const { id, email, newBrowser } = await enrolledAdmin()
    const browser = newBrowser()
    await browser.submit(await browser.go('/login/forgot'), 'email', { email })
    const linkOf = ({ content }: { content: string }) =>
      /^http:\S+\/login\/reset\?\S+$/m.exec(content)?.[0] ?? ''
    const links = () => mailServer.mails.filter((mail) => mail.to === email).map(linkOf)
    await expect.poll(() => links().join('')).not.toBe('')
    const form = await browser.go(links().join(''))
    const again = { new_password: 'a new password', new_password_again: 'a new password' }
    expect((await browser.submit(form, 'new_password', again)).body).toContain('Your password is changed')
    const login = await browser.go('/login?return_to=/account')
    const page = await browser.submit(login, 'password', { email, password: 'a new password' })
    expect([page.url.pathname, await isSignedOut(browser), await passkeysOf(id)]).toEqual(['/login', true, 1])
  })
})

describe('a stolen password of an admin', () => {
  it('adds no passkey once there is one and does not reach /admin, and its owner gets a mail', async () => {
    const { id, email, newBrowser, byPassword } = await enrolledAdmin()
    const thief = newBrowser()
    const page = await byPassword(thief, '/admin')
    expect([page.url.pathname, page.body.includes('name="password"')]).toEqual(['/login', false])
    expect(page.body, 'what opens the account').toContain('This account opens only with its passkey')
    expect((await thief.go(`/login/enrol/passkey?sub=${id}`)).status, 'a first passkey').toBe(403)
    expect((await thief.go('/login/enrol')).status, 'its page').toBe(403)
    expect(await isSignedOut(thief)).toBe(true)
    expect(await passkeysOf(id)).toBe(1)
    expect(server.events).toContainEqual({
      ...{ type: 'sign_in_failed', reason: 'passkey_required', subject: id },
    })
    const subjects = () => mailServer.mails.filter((mail) => mail.to === email).map(({ content }) => content)
    await expect.poll(() => subjects().join()).toContain('A sign-in was stopped at Notes')
  })
})

describe('a link of the operator', () => {
  it('adds one passkey for a user who has lost theirs, ends their sessions, and is in the trail', async () => {
    const { id, browser, newBrowser, enrol } = await enrolledAdmin()
    const link = await server.operator.users.enrol(id)
    expect(server.events).toContainEqual({ type: 'enrolment_link_made', subject: id })
    const other = newBrowser()
    const page = await other.go(link)
    expect([page.url.pathname, page.url.search, page.status]).toEqual(['/login/enrol', '', 200])
    const key = softwareAuthenticator(server.baseUrl)
    const toSignIn = await enrol(other, page, key)
    expect(await isSignedOut(browser), 'where the lost passkey was').toBe(true)
    expect((await other.byPasskey(toSignIn, key)).url.pathname).toBe('/account')
    expect((await newBrowser().go(link)).status, 'again').toBe(403)
  })

  it('is used once, also at the same time', async () => {
    const { id, newBrowser, enrol } = await enrolledAdmin()
    const link = await server.operator.users.enrol(id)
    const browsers = [newBrowser(), newBrowser()]
    const pages = await Promise.all(browsers.map((browser) => browser.go(link)))
    await Promise.all(
      browsers.map((browser, at) =>
        enrol(browser, pages[at] as Shown, softwareAuthenticator(server.baseUrl)).catch(() => undefined),
      ),
    )
    expect(await passkeysOf(id)).toBe(2)
  })

  it('adds no passkey that another user has, and can still be used', async () => {
    const [{ key: known }, { id, newBrowser, enrol }] = [await enrolledAdmin(), await enrolledAdmin()]
    const browser = newBrowser()
    const page = await browser.go(await server.operator.users.enrol(id))
    const again = await enrol(browser, page, known)
    expect([again.status, again.body]).toEqual([403, expect.stringContaining('The passkey was not added')])
    await enrol(browser, again, softwareAuthenticator(server.baseUrl))
    expect(await passkeysOf(id)).toBe(2)
  })

  it('is over after 24 hours, when the user is signed out everywhere, and if it was changed', async () => {
    const { id, newBrowser } = await newAdmin()
    const link = await server.operator.users.enrol(id)
    const status = async (address: string) => (await newBrowser().go(address)).status
    expect([await status(link), await status(`${link}x`)]).toEqual([200, 403])
    turnTo(24 * 60)
    expect(await status(link)).toBe(403)
    vi.useRealTimers()
    await server.operator.users.endSessions(id)
    expect(await status(link)).toBe(403)
  })

  it('is made for no disabled user', async () => {
    const { id } = await newAdmin()
    await server.operator.users.disable(id)
    await expect(server.operator.users.enrol(id)).rejects.toMatchObject({ reason: 'user_disabled' })
  })
})

describe('before the day', () => {
  it('each sign-in tells an admin without a passkey, who is signed in, and nobody else', async () => {
    const before = await started('2999-12-31')
    onTestFinished(() => before.close())
    const { key, newBrowser, byPassword } = await newAdmin(before)
    let browser = newBrowser()
    for (const time of ['first', 'second']) {
      browser = newBrowser()
      const page = await byPassword(browser, '/admin')
      expect(page.url.pathname, time).toBe('/login/passkey-notice')
      expect(page.body).toContain('From 31 December 2999 on')
      expect(page.body).toContain('<a href="/admin">Not now</a>')
    }
    expect((await browser.go('/admin')).url.pathname).toBe('/admin')
    await browser.addPasskey(key)
    const other = newBrowser()
    expect((await byPassword(other, '/admin')).url.pathname).toBe('/admin')
    const user = newBrowser()
    const page = await user.byPassword(await user.go('/login?return_to=/account'))
    expect(page.url.pathname).toBe('/account')
  })
})
