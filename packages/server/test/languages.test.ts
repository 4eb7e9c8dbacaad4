import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { linkIn, type MailServer, type ReceivedMail, runMailServer } from '@grantkit/test-servers/mail-server'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passkeyRows } from '../src/accounts/passkeys/passkey-rows.ts'
import { identityRows } from '../src/accounts/upstream/identities.ts'
import { DANA, newUser } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** Each page of the server is wholly in the language of its reader. */

const TAGS = ['de', 'es', 'fr', 'ja', 'pt-BR']

let mailServer: MailServer
let server: RunningServer
let session = ''

const PROVIDER = {
  ...{ id: 'partner', label: 'Partner', issuer: 'https://partner.example' },
  ...{ clientId: 'notes', clientSecret: 'a secret of the tests' },
}

beforeAll(async () => {
  mailServer = await runMailServer()
  const UPSTREAM_FILE = join(await folderInMemory('languages'), 'upstream.json')
  await writeFile(UPSTREAM_FILE, JSON.stringify({ providers: [PROVIDER] }))
  const more = { ...mailServer.environment, RATE_LIMITS: 'off', UPSTREAM_FILE }
  // Passkeys need a name.
  server = await runServer((port) => ({ BASE_URL: `http://localhost:${port}`, ...more }), {
    requirePasskey: { who: ['nobody'], from: '2999-12-31' },
  })
  for (let browser = 0; browser < 3; browser++) session = await sessionCookie(server.baseUrl)
  await signedIn(server.baseUrl, 'notes:read')
  await fillAccount()
  const { email } = await newUser(server, 'a password of Ada')
  await posted('en', '/login/forgot', { email })
})
afterAll(async () => {
  await server.close()
  await mailServer.close()
})

/** Ways to sign in, and a sign-in that failed. */
async function fillAccount(): Promise<void> {
  const account = await server.accounts.find(DANA.id)
  if (account === undefined) throw new Error('There is no account')
  const of = { subject: DANA.id, addedAt: Date.now() }
  const key = { publicKey: '', counter: 0, transports: [] }
  const passkeys = passkeyRows(server.database)
  await passkeys.add({ ...of, ...key, id: 'k1', name: 'Ada', synced: true, usedAt: Date.now() }, account)
  await passkeys.add({ ...of, ...key, id: 'k2', name: 'Ada', synced: false }, account)
  const identity = { issuer: 'https://other.example', identity: 'd', shownAs: DANA.email }
  await identityRows(server.database).add({ ...of, ...identity }, account)
  const at = Math.floor(Date.now() / 1000) - 300
  const { clientId } = await server.clients.add({ clientName: 'A tool', redirectUris: ['http://127.0.0.1/'] })
  const attempt = { type: 'step', reference: 'AAAA0001', outcome: 'ok', clientId, at } as const
  server.recording.onEvent({ ...attempt, step: 'requested', redirectUri: 'http://127.0.0.1/' })
  server.recording.onEvent({
    ...attempt,
    step: 'allowed',
    subject: DANA.id,
    grantId: 'g',
    scopes: ['notes:read'],
  })
  server.recording.onEvent({ ...attempt, step: 'sent_back' })
}

/** The page for a new password, whose mail the server sends when it has answered. */
async function resetPath(): Promise<string> {
  await expect.poll(() => mailServer.mails).not.toEqual([])
  const { pathname, searchParams } = new URL(linkIn(mailServer.mails[0] as ReceivedMail))
  return `${pathname}?token=${searchParams.get('token')}`
}

const shown = (tag: string, path: string, cookie = session) =>
  fetch(server.baseUrl + path, {
    headers: { cookie, accept: 'text/html', 'accept-language': tag },
    redirect: 'manual',
  })

/** The page behind a link of the operator. */
async function enrolment(tag: string): Promise<Response> {
  const { pathname, search } = new URL(await server.operator.users.enrol(DANA.id))
  const [line = ''] = (await shown(tag, pathname + search)).headers.getSetCookie()
  return shown(tag, '/login/enrol', line.split(';')[0])
}

async function signedOutEverywhere(tag: string): Promise<Response> {
  const { email } = await newUser(server, 'a password of Ada')
  const cookie = await sessionCookie(server.baseUrl, email, 'a password of Ada')
  const page = await (await shown(tag, '/account', cookie)).text()
  const body = new URLSearchParams({ token: /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '' })
  const headers = { cookie, 'accept-language': tag }
  return fetch(`${server.baseUrl}/account/sign-out`, { method: 'POST', headers, body })
}

/** The page after the first form of another one, which leads to `path`. */
async function posted(tag: string, path: string, fields: Record<string, string>, from = path) {
  const page = await shown(tag, from)
  const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const cookie = [session, ...page.headers.getSetCookie().map((line) => line.split(';')[0])].join('; ')
  const headers = { cookie, 'accept-language': tag }
  const body = new URLSearchParams({ token, ...fields })
  return fetch(server.baseUrl + path, { method: 'POST', headers, body, redirect: 'manual' })
}

const AGAIN = '/login?prompt=login'
const WRONG = { email: DANA.email, password: 'wrong', prompt: 'login' }
const PAGES: Readonly<Record<string, (tag: string) => Promise<Response>>> = {
  'the start page': (tag) => shown(tag, '/'),
  'an address without a page': (tag) => shown(tag, '/nowhere'),
  'what a reference is for': (tag) => shown(tag, '/why'),
  'the sign-in page': (tag) => shown(tag, AGAIN),
  'the sign-in page that wants a passkey': (tag) => shown(tag, `${AGAIN}&acr_values=phr`),
  'a wrong password': (tag) => posted(tag, '/login', WRONG, AGAIN),
  'a wrong passkey': (tag) => posted(tag, '/login/passkey', { ...WRONG, answer: '{}' }, AGAIN),
  'an expired form': (tag) => posted(tag, '/login', { ...WRONG, token: 'x' }, AGAIN),
  'a provider that does not answer': (tag) => posted(tag, '/login/with/partner', { prompt: 'login' }, AGAIN),
  'the forgotten password': (tag) => shown(tag, '/login/forgot'),
  'the mail is sent': (tag) => posted(tag, '/login/forgot', { email: 'nobody@example.com' }),
  'a new password': async (tag) => shown(tag, await resetPath()),
  'a new password that is too short': async (tag) =>
    posted(tag, '/login/reset', { new_password: 'a', new_password_again: 'a' }, await resetPath()),
  'new passwords that differ': async (tag) =>
    posted(tag, '/login/reset', { new_password: 'a' }, await resetPath()),
  'a link that is not valid': (tag) => shown(tag, '/login/reset?token=x'),
  'an enrolment that is over': (tag) => shown(tag, '/login/enrol'),
  'an enrolment': enrolment,
  'the notice of required passkeys': (tag) => shown(tag, '/login/passkey-notice'),
  'the sign-out': (tag) => shown(tag, '/logout'),
  'signed out everywhere': signedOutEverywhere,
  'the account': (tag) => shown(tag, '/account'),
  'the account after a wrong current password': (tag) =>
    posted(tag, '/account/password', { current_password: 'x', ...twice('four words of a test') }, '/account'),
  'the account after an expired form': (tag) => posted(tag, '/account/password', { token: 'x' }, '/account'),
}

function twice(password: string) {
  return { new_password: password, new_password_again: password }
}

/** The texts of a page, and those of attributes that a reader sees or hears. */
function textsOf(page: string): string[] {
  const body = page.replaceAll(/<style>[\s\S]*?<\/style>/g, '')
  const attributes = [...body.matchAll(/ (?:aria-label|placeholder|title|alt)="([^"]*)"/g)].map(
    ([, text = '']) => text,
  )
  return [...body.split(/<[^>]+>/), ...attributes]
    .map((text) => text.trim())
    .filter((text) => /\p{L}{2}/u.test(text))
}

/** What is not in the language of the reader: names, addresses and times. */
const DATA =
  /^(Notes|Partner|Dana Moore|Ada|(: )?A tool|Read your notes|[^ ]+@example\.com|https?:.*|localhost|\(ref .*\)|[0-9A-Z-]{9}|127\..*)$/

/** A word that is the same in both. */
const isGerman = (tag: string, text: string) => tag === 'de' && /^Passkey\b/.test(text)

describe.each(Object.entries(PAGES))('%s', (_, open) => {
  it.each(TAGS)('is wholly in %s', async (tag) => {
    const english = await (await open('en')).text()
    const page = await (await open(tag)).text()
    expect(page).toContain(`<html lang="${tag}" dir="ltr">`)
    const left = new Set(textsOf(english))
    expect(
      textsOf(page).filter((text) => left.has(text) && !DATA.test(text) && !isGerman(tag, text)),
    ).toEqual([])
  })
})

it('the app chooses the language of its sign-in, before the browser', async () => {
  const page = await (await shown('fr', `${AGAIN}&ui_locales=ja`)).text()
  expect(page).toContain('<html lang="ja"')
  const forgotten = /href="([^"]*forgot[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const next = await (await shown('fr', forgotten)).text()
  expect(next).toContain('<html lang="ja"')
  expect(next, 'the way back has it too').toMatch(/href="\/login\?[^"]*ui_locales=ja/)
  const waiting = encodeURIComponent('/oauth/authorize?client_id=a&ui_locales=ja')
  for (const path of ['/login/enrol', '/login', '/logout'])
    expect(await (await shown('fr', `${path}?prompt=login&return_to=${waiting}`)).text(), path).toContain(
      '<html lang="ja"',
    )
})

it('the mail for a new password is in the language of the page that asked for it, as is the page behind its link', async () => {
  const { email } = await newUser(server, 'a password of Ada')
  await posted('fr', '/login/forgot', { email, ui_locales: 'es' })
  const mail = () => mailServer.mails.find(({ to }) => to === email)
  await expect.poll(mail).toBeDefined()
  expect(Buffer.from(mail()?.content ?? '', 'latin1').toString()).toContain(
    'Se ha solicitado una nueva contraseña para su cuenta en Notes',
  )
  const { pathname, search } = new URL(linkIn(mail() as ReceivedMail))
  const page = await (await shown('fr', pathname + search)).text()
  expect(page).toContain('<html lang="es"')
  const action = /action="([^"]*reset[^"]*)"/.exec(page)?.[1] ?? ''
  const token = new URLSearchParams(search).get('token') ?? ''
  const again = await posted('fr', action, { token, new_password: 'a', new_password_again: 'a' })
  const text = await again.text()
  expect(text).toContain('<html lang="es"')
  expect(text).toContain('La contraseña debe tener al menos')
})
