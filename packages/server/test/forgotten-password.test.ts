import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { linkIn, type MailServer, type ReceivedMail, runMailServer } from '@grantkit/test-servers/mail-server'
import { quickHash } from '@grantkit/test-servers/quick-hash'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { consentingBrowser } from './consenting-browser.ts'
import { newUser } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** A user sets a new password by the link of a mail, from a real mail server. */

let mailServer: MailServer
let server: RunningServer
beforeAll(async () => {
  mailServer = await runMailServer()
  server = await runServer({ ...mailServer.environment, RATE_LIMITS: 'off' })
})
afterAll(async () => {
  await server.close()
  await mailServer.close()
})

const OLD = 'an old password'
const NEW = 'a new password'

const newAccount = (at: Pick<RunningServer, 'accounts'> = server) => newUser(at, OLD)

/** The form for the address, as a browser gets and sends it. */
async function requestLink(email: string, { returnTo = '/account', headers = {}, at = server } = {}) {
  const query = new URLSearchParams({ return_to: returnTo })
  const form = await fetch(`${at.baseUrl}/login/forgot?${query}`)
  const token = /name="token" value="([^"]+)"/.exec(await form.text())?.[1] ?? ''
  const cookie = form.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const answer = await fetch(`${at.baseUrl}/login/forgot`, {
    method: 'POST',
    headers: { cookie, ...headers },
    body: new URLSearchParams({ token, email, return_to: returnTo }),
  })
  const kept = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return { status: answer.status, text: await answer.text(), kept, headers: answer.headers }
}

/** Those with a link. Others tell of the changes. */
const mailsTo = (email: string) => mailServer.mails.filter((mail) => mail.to === email && linkIn(mail) !== '')

async function mailTo(email: string): Promise<ReceivedMail> {
  await expect.poll(() => mailsTo(email)).not.toEqual([])
  return mailsTo(email).at(-1) as ReceivedMail
}

async function linkFor(email: string): Promise<string> {
  await requestLink(email)
  return linkIn(await mailTo(email))
}

const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''

async function choose(link: string, { password = NEW, cookie = '', token = tokenOf(link) } = {}) {
  const answer = await fetch(`${server.baseUrl}/login/reset`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ token, new_password: password, new_password_again: password }),
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

const account = (cookie: string) =>
  fetch(`${server.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })
const canSignIn = async (email: string, password: string) =>
  (await account(await sessionCookie(server.baseUrl, email, password))).status === 200

describe('a forgotten password', () => {
  it('is replaced by the link of a mail, which ends every session and leads back to where the user came from', async () => {
    const { id, email } = await newAccount()
    const session = await sessionCookie(server.baseUrl, email, OLD)
    const returnTo = '/oauth/authorize?client_id=editor&state=1'
    const { kept } = await requestLink(email, { returnTo })
    const mail = await mailTo(email)
    expect(mail.content).toMatch(/^From: School <no-reply@school\.example>$/m)
    expect(mail.content).toMatch(/^Subject: New password for Notes$/m)
    const page = await fetch(linkIn(mail))
    expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer'])
    const { status, text } = await choose(linkIn(mail), { cookie: kept })
    expect([status, text]).toEqual([
      200,
      expect.stringContaining(new URLSearchParams({ return_to: returnTo }).toString()),
    ])
    expect([await canSignIn(email, OLD), await canSignIn(email, NEW)]).toEqual([false, true])
    expect((await account(session)).status).toBe(303)
    expect(server.events).toContainEqual({ type: 'password_mail_sent', subject: id })
    expect(server.events).toContainEqual({ type: 'account_password_changed', subject: id, by: 'mail' })
    expect(JSON.stringify(server.events)).not.toContain(tokenOf(linkIn(mail)))
  })

  it('has a link that stays valid while a sign-in replaces the hash of the password', async () => {
    const { id, email } = await newAccount()
    const link = await linkFor(email)
    expect(await canSignIn(email, OLD)).toBe(true)
    await server.settled()
    expect(server.events).toContainEqual({ type: 'password_rehashed', subject: id })
    expect([(await choose(link)).status, await canSignIn(email, NEW)]).toEqual([200, true])
  })

  it('gets the same answer, and no mail, if no account may have one', async () => {
    const disabled = await newAccount()
    await server.accounts.setDisabled(disabled.id, true)
    const addresses = [
      `${randomUUID()}@example.com`,
      disabled.email,
      (await newUser(server, OLD, { email_verified: false })).email,
      (await newUser(server, '')).email,
      'not an address\r\nBcc: evil@example.com',
      '',
    ]
    const { email } = await newAccount()
    const answers = [...addresses, email].map((address) => requestLink(address))
    const texts = (await Promise.all(answers)).map(({ status, text }) => `${status} ${text}`)
    expect(new Set(texts).size).toBe(1)
    await mailTo(email)
    expect(addresses.flatMap(mailsTo)).toEqual([])
    expect(server.errors).toEqual([])
  })

  it('leads to the account page afterwards if the way back is too long for a cookie', async () => {
    const returnTo = (length: number) => `/oauth/authorize?scope=${'%20'.repeat(length)}`
    for (const [length, kept] of [
      [600, true],
      [1000, false],
    ] as const) {
      const requested = await requestLink('', { returnTo: returnTo(length) })
      const [, content = ''] = /=([^.]*)/.exec(requested.kept) ?? []
      const way = JSON.parse(Buffer.from(content, 'base64url').toString()).returnTo
      expect([way.startsWith('/oauth/authorize?'), requested.kept.length < 4096]).toEqual([kept, true])
      if (!kept) expect(way).toBe('/account')
    }
  })

  it('is requested by no form of another site', async () => {
    const { email } = await newAccount()
    const foreign = await requestLink(email, { headers: { 'sec-fetch-site': 'cross-site' } })
    const forged = await requestLink(email, { headers: { cookie: '' } })
    expect([foreign.status, forged.status]).toEqual([403, 403])
  })

  it('has a link to the configured base URL, whatever the Host header says', async () => {
    const { email } = await newAccount()
    const form = await fetch(`${server.baseUrl}/login/forgot`)
    const token = /name="token" value="([^"]+)"/.exec(await form.text())?.[1] ?? ''
    const headers = {
      ...{ host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
      cookie: form.headers.getSetCookie()[0]?.split(';')[0] ?? '',
      'content-type': 'application/x-www-form-urlencoded',
    }
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${server.baseUrl}/login/forgot`, { method: 'POST', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject).end(String(new URLSearchParams({ token, email })))
    })
    expect(status).toBe(200)
    const { content } = await mailTo(email)
    expect(content).toContain(`\n${server.baseUrl}/login/reset?token=`)
    expect(content).not.toContain('evil')
  })
})

describe('the link of the mail', () => {
  it('is opened by mail scanners without effect, and works once', async () => {
    const { email } = await newAccount()
    const link = await linkFor(email)
    const scanned = await Promise.all([fetch(link), fetch(link), fetch(link, { method: 'HEAD' })])
    expect(scanned.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await choose(link, { password: 'short' })).status).toBe(400)
    expect((await choose(link)).status).toBe(200)
    const again = await choose(link, { password: 'another password' })
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('not valid any more')])
    expect([(await fetch(link)).status, await canSignIn(email, NEW)]).toEqual([400, true])
  })

  it('changes the password once, if it is sent twice at the same time', async () => {
    const { email } = await newAccount()
    const link = await linkFor(email)
    const passwords = [NEW, 'another password']
    const answers = await Promise.all(passwords.map((password) => choose(link, { password })))
    const statuses = answers.map(({ status }) => status)
    expect([...statuses].sort()).toEqual([200, 400])
    expect(await canSignIn(email, passwords[statuses.indexOf(200)] ?? '')).toBe(true)
  })

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['a new password', (id) => server.accounts.setPassword(id, quickHash('by the operator'))],
    ['a sign-out everywhere', (id) => server.accounts.endSessions(id, 'user')],
    [
      'the account is disabled, and enabled again',
      async (id) => {
        await server.accounts.setDisabled(id, true)
        await server.accounts.setDisabled(id, false)
      },
    ],
    ['the account is removed', (id) => server.accounts.remove(id)],
  ])('is void after %s', async (_, change) => {
    const { id, email } = await newAccount()
    const link = await linkFor(email)
    await change(id)
    expect([(await fetch(link)).status, (await choose(link)).status]).toEqual([400, 400])
    expect(await canSignIn(email, NEW)).toBe(false)
  })

  it('is void after 30 minutes', async () => {
    const { email } = await newAccount()
    const link = await linkFor(email)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 60 * 1000 + 1000 })
    onTestFinished(() => void vi.useRealTimers())
    expect((await choose(link)).status).toBe(400)
  })

  it('is for one account alone, and cannot be made by a caller', async () => {
    const [one, other] = [await newAccount(), await newAccount()]
    const [content = '', signature = ''] = tokenOf(await linkFor(one.email)).split('.')
    const claims = JSON.parse(Buffer.from(content, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: other.id })).toString('base64url')
    const session = await (await account(await sessionCookie(server.baseUrl, one.email, OLD))).text()
    const form = /name="token" value="([^"]+)"/.exec(session)?.[1] ?? ''
    for (const token of [`${forged}.${signature}`, content, '', '.', form])
      expect((await choose('', { token })).status, token).toBe(400)
    expect([await canSignIn(one.email, OLD), await canSignIn(other.email, OLD)]).toEqual([true, true])
  })
})

describe('the page after the change', () => {
  /** An app that somebody connected with the old password. */
  async function connected(email: string) {
    const browser = consentingBrowser(await sessionCookie(server.baseUrl, email, OLD))
    await (await testClient(server.baseUrl, { browser })).tokens('notes:read')
  }

  const submit = async (page: string, fields: Record<string, string> = {}) => {
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(page) ?? []
    const answer = await fetch(`${server.baseUrl}/login/reset/apps`, {
      method: 'POST',
      body: new URLSearchParams({ token, ...fields }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  it('offers to disconnect all apps, which stay otherwise', async () => {
    const [{ id, email }, other] = [await newAccount(), await newAccount()]
    await connected(email)
    await connected(other.email)
    const { text } = await choose(await linkFor(email))
    const grantsOf = async (subject: string) => (await server.grants.list(subject)).grants.length
    expect([await grantsOf(id), text]).toEqual([1, expect.stringContaining('Disconnect all apps')])
    const forged = await submit(text, { token: tokenOf(await linkFor(other.email)) })
    expect([forged.status, await grantsOf(id), await grantsOf(other.id)]).toEqual([400, 1, 1])
    const done = await submit(text)
    expect([done.status, await grantsOf(id), await grantsOf(other.id)]).toEqual([200, 0, 1])
    expect(done.text).toContain('/login?return_to=%2Faccount')
  })

  it('offers it also if the store fails, or has grants on its next page', async () => {
    for (const listing of [
      async () => ({ grants: [], next: 'more' }),
      () => Promise.reject(new Error('down')),
    ]) {
      const { email } = await newAccount()
      const link = await linkFor(email)
      const { list } = server.store.grants
      // The change itself lists the personal access tokens.
      const failing = vi
        .spyOn(server.store.grants, 'list')
        .mockImplementation((owner, page) => (owner.clientId === undefined ? listing() : list(owner, page)))
      onTestFinished(() => failing.mockRestore())
      const { status, text } = await choose(link)
      failing.mockRestore()
      expect([status, text]).toEqual([200, expect.stringContaining('Disconnect all apps')])
      expect((await submit(text)).status).toBe(200)
    }
  })

  it('offers it no longer after the next change, and not to users without apps', async () => {
    const { id, email } = await newAccount()
    const { text } = await choose(await linkFor(email))
    expect(text).not.toContain('Disconnect')
    await server.accounts.setPassword(id, quickHash(OLD))
    await connected(email)
    const again = await choose(await linkFor(email))
    await server.accounts.endSessions(id, 'user')
    expect((await submit(again.text)).status).toBe(400)
    expect((await server.grants.list(id)).grants).toHaveLength(1)
  })
})

describe('the limits of these mails', () => {
  it('are three mails per account in half an hour, and twenty requests per network in a quarter of an hour', async () => {
    const limited = await runServer(mailServer.environment)
    onTestFinished(() => limited.close())
    const [often, last] = [await newAccount(limited), await newAccount(limited)]
    const answers = []
    for (let time = 0; time < 4; time++) answers.push(await requestLink(often.email, { at: limited }))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    for (let time = 0; time < 15; time++) await requestLink('unknown@example.com', { at: limited })
    expect((await requestLink(last.email, { at: limited })).status).toBe(200)
    const refused = await requestLink(last.email, { at: limited })
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    await mailTo(last.email)
    expect(mailsTo(often.email)).toHaveLength(3)
  })
})

it('a mail server that is down changes no answer, and the error names no address', async () => {
  const environment = { MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@school.example' }
  const down = await runServer(environment)
  onTestFinished(() => down.close())
  const { email } = await newAccount(down)
  const answers = [
    await requestLink(email, { at: down }),
    await requestLink('unknown@example.com', { at: down }),
  ]
  expect(answers[0]?.text).toBe(answers[1]?.text)
  await expect
    .poll(() => down.errors.map(String))
    .toEqual(['Error: The mail server did not accept a mail: ESOCKET'])
  expect(down.events.map(({ type }) => type)).not.toContain('password_mail_sent')
})

it('without a mail server the sign-in page has no link', async () => {
  const without = await runServer()
  onTestFinished(() => without.close())
  expect(await (await fetch(`${without.baseUrl}/login`)).text()).not.toContain('Forgot')
  expect((await fetch(`${without.baseUrl}/login/forgot`)).status).toBe(404)
  expect((await fetch(`${without.baseUrl}/login/reset?token=x`)).status).toBe(404)
})
