import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Authentication,
  type RunningProvider,
  runOpenIdProvider,
} from '@grantkit/test-servers/openid-provider'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { softwareAuthenticator } from '@grantkit/test-servers/software-authenticator'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { formBrowser } from '@grantkit/testkit/client'
import { expect, it, onTestFinished } from 'vitest'
import type { Provider } from '../src/config/providers.ts'
import type { ServerConfig } from '../src/config/schema.ts'
import { DANA } from './people.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** The pages after a failed sign-in with a provider. */

const PASSKEY_FORM = 'data-passkey="get"'
const CALLBACK = '/login/with/partner/callback'

/** @param age seconds since `alice` signed in at the provider */
async function open(
  age = 0,
  rules: Partial<Provider> = {},
  more: Record<string, unknown> = {},
  config: Partial<ServerConfig> = {},
  authentication: Authentication = {},
) {
  const claims = () => ({ email: 'alice@partner.example', email_verified: true, ...more })
  const UPSTREAM_FILE = join(await temporaryFolder(), 'upstream.json')
  const provider = Promise.withResolvers<RunningProvider>()
  const server = await runServer(async (port) => {
    const BASE_URL = `http://localhost:${port}`
    const op = await runOpenIdProvider(`${BASE_URL}${CALLBACK}`, claims, age, authentication)
    onTestFinished(op.close)
    await writeFile(UPSTREAM_FILE, JSON.stringify({ providers: [{ ...op.provider, ...rules }] }))
    provider.resolve(op)
    return { BASE_URL, UPSTREAM_FILE }
  }, config)
  onTestFinished(() => server.close())
  const op = await provider.promise
  return { op, server, ...visits(server, op) }
}

function visits({ baseUrl }: RunningServer, op: RunningProvider) {
  const get = (path: string, cookie = '') =>
    fetch(`${baseUrl}${path}`, { headers: { cookie }, redirect: 'manual' })
  const post = async (page: Response, path: string, fields: Record<string, string>, session = '') => {
    const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
    const headers = { cookie: `${session}; ${cookieOf(page)}` }
    const body = new URLSearchParams({ token, ...fields })
    return fetch(`${baseUrl}${path}`, { method: 'POST', headers, body, redirect: 'manual' })
  }
  const begin = async (return_to = '/account', more = {}) =>
    post(await get('/login'), '/login/with/partner', { return_to, ...more })
  const connect = async (session: string) =>
    post(await get('/account', session), '/account/identities', { provider: 'partner' }, session)
  /** The way to the provider and back to our page. Without `max_age` and `prompt` a provider returns no `auth_time`. */
  async function answered(begun: Response, session = '', withAuthTime = true) {
    const browser = formBrowser({ origin: op.provider.issuer, typed: { login: '' } })
    const request = new URL(
      begun.headers.get('location') ?? begun.headers.get('refresh')?.slice('0;url='.length) ?? '',
    )
    if (!withAuthTime) for (const name of ['max_age', 'prompt']) request.searchParams.delete(name)
    const { search } = await browser(request.href)
    return get(`${CALLBACK}${search}`, `${session}; ${cookieOf(begun)}`)
  }
  return { get, begin, connect, answered }
}

/** The hidden fields of the first form of a page. */
function fieldsOf(page: string): Record<string, string> {
  const fields = [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const [, ...others] = fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')])
  const next = others.findIndex(([name]) => name === 'token')
  return Object.fromEntries(next < 0 ? others : others.slice(0, next))
}

function cookieOf({ headers }: Response): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** The sign-in page, with its other sign-in methods. */
async function expectProblem(answer: Response, status: number, words: string): Promise<void> {
  const page = await answer.text()
  expect([answer.status, /role="alert">([^<]*)/.exec(page)?.[1]]).toEqual([status, words])
  for (const way of ['name="password"', PASSKEY_FORM]) expect(page).toContain(way)
}

const UNREACHABLE = 'Signing in with Partner does not work at the moment.'

it('leaves the other sign-in methods while the provider is down from the start', async () => {
  const { op, server, begin } = await open()
  await op.close()
  await expectProblem(await begin(), 503, UNREACHABLE)
  expect(await sessionCookie(server.baseUrl)).toMatch(/^session/)
})

it('leaves the other sign-in methods if the provider fails during the sign-in', async () => {
  const { op, server, get, begin } = await open()
  const begun = await begin()
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
  await op.close()
  const query = new URLSearchParams({ code: 'c', state, iss: op.provider.issuer })
  await expectProblem(await get(`${CALLBACK}?${query}`, cookieOf(begun)), 503, UNREACHABLE)
  expect(await sessionCookie(server.baseUrl)).toMatch(/^session/)
})

it('shows that the provider denied the sign-in', async () => {
  const { op, server, get, begin } = await open()
  const begun = await begin()
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const error_description = 'Call 555-0100'
  const query = new URLSearchParams({
    error: 'access_denied',
    error_description,
    state,
    iss: op.provider.issuer,
  })
  const answer = await get(`${CALLBACK}?${query}`, cookieOf(begun))
  expect(await answer.clone().text(), 'nobody else writes on the page').not.toContain('555')
  expect(server.taken('sign_in_refused').at(-1)).toMatchObject({ detail: 'access_denied: Call 555-0100' })
  const words = 'Partner did not sign you in. You can try again, or sign in another way.'
  await expectProblem(answer, 403, words)
})

it.each<[string, Partial<Provider>]>([
  ['sign_up_off', {}],
  ['domain_not_allowed', { signUp: { emailDomains: ['corp.example'] } }],
  ['email_in_use', { signUp: true }],
])('records with a reference that nobody may sign in: %s', async (reason, rules) => {
  const { op, server, begin, answered } = await open(0, rules)
  if (reason === 'email_in_use')
    await server.accounts.add({ ...DANA, id: 'other', email: 'alice@partner.example' })
  const returnTo = `/oauth/authorize?client_id=gone&code_challenge=${'c'.repeat(43)}`
  const page = await (await answered(await begin(returnTo))).text()
  const shown = /<code>([0-9A-Z-]{9})<\/code>/.exec(page)?.[1] ?? ''
  expect(await server.attempts.find(shown)).toMatchObject({
    verdict: {
      id: reason,
      compared: [{ label: 'what was wrong', value: 'provider partner, domain partner.example' }],
    },
    clientId: 'gone',
    steps: [{ step: 'signed_in', outcome: 'refused' }],
  })
  const { issuer } = op.provider
  const event = { type: 'sign_in_refused', reason, provider: 'partner', issuer, domain: 'partner.example' }
  expect(server.events).toContainEqual(expect.objectContaining({ ...event, reference: shown }))
  expect(JSON.stringify(server.events), 'neither an address nor the user of the provider').not.toMatch(
    /alice@|"alice"/,
  )
  const { signInsRefused } = await server.operator.overview()
  expect(signInsRefused).toEqual([{ provider: 'partner', reason, count: 1 }])
})

it('shows an operator on the overview who was refused why, and what to set', async () => {
  const { server, get, begin, answered } = await open(0, { signUp: { emailDomains: ['corp.example'] } })
  for (let time = 0; time < 2; time++) expect((await answered(await begin())).status).toBe(403)
  await server.accounts.setAdmin(DANA.id, true)
  const page = await (await get('/admin', await sessionCookie(server.baseUrl))).text()
  const [table = ''] = /<table[^>]*aria-label="Sign-ins with providers.*?<\/table>/s.exec(page) ?? []
  const cells = [...table.matchAll(/<td[^>]*><div>(.*?)<\/div>/gs)].map(([, cell = '']) =>
    cell.replace(/<[^>]+>/g, ''),
  )
  expect(cells).toEqual([
    'partner',
    'The e-mail address of the user has a domain that a rule of the provider does not name',
    'Add the domain to emailDomains of signUp or require, if that is wanted.',
    '2',
  ])
  const { output } = await ranCommand(server, ['overview'])
  expect(output).toContain(
    'partner domain_not_allowed 2 times in 24 hours: Add the domain to emailDomains of',
  )
})

it('gives the roles of its groups at each sign-in, and keeps them where it does not say', async () => {
  const roles = { claim: 'groups', map: { staff: ['editor'] } }
  const more: Record<string, unknown> = { groups: ['staff', 'others'] }
  const { server, begin, answered } = await open(0, { signUp: { groups: ['staff'] }, roles }, more)
  const signIn = async () => expect((await answered(await begin())).status).toBe(303)
  await signIn()
  const subject = (await server.accounts.idOf('alice@partner.example')) ?? ''
  const rolesOf = async () => (await server.accounts.claims(subject))?.roles
  expect(await rolesOf()).toEqual(['editor'])
  more.groups = undefined
  await signIn()
  expect(await rolesOf()).toEqual(['editor'])
  more.groups = ['others']
  await signIn()
  expect(await rolesOf()).toBeUndefined()
  const of = { subject, provider: 'partner' }
  expect(server.events.filter(({ type }) => type.startsWith('account_roles_'))).toEqual([
    { type: 'account_roles_changed', ...of, roles: ['editor'] },
    { type: 'account_roles_unread', ...of, reason: 'claim_missing' },
    { type: 'account_roles_changed', ...of, roles: [] },
  ])
})

it('says of a sign-in that the operator vouches for the address', async () => {
  const rules = { signUp: { emailDomains: ['partner.example'] } }
  const emailsVerified = { domains: ['partner.example'], evenIfFalse: true as const }
  const { server, begin, answered } = await open(0, { ...rules, emailsVerified }, { email_verified: false })
  expect((await answered(await begin())).status).toBe(303)
  expect(server.events.findLast(({ type }) => type === 'sign_in_succeeded')).toMatchObject({ vouched: true })
  const id = (await server.accounts.idOf('alice@partner.example')) ?? ''
  await server.accounts.remove(id)
  await server.accounts.add({ ...DANA, id: 'other', email: 'alice@partner.example' })
  const page = await (await answered(await begin())).text()
  expect(page, 'whether an address has an account is told to its owner alone').toContain(
    'Your account at Partner cannot be used to sign in here.',
  )
  expect(server.events.findLast(({ type }) => type === 'sign_in_refused')).toMatchObject({
    reason: 'email_in_use',
  })
})

it('tells a user in their language which domains can sign in', async () => {
  const { get, begin, answered } = await open(0, { require: { emailDomains: ['corp.example'] } })
  const page = await (await answered(await begin('/account', { ui_locales: 'de' }))).text()
  expect(page).toContain(
    '<p class="problem" role="alert">Hier können sich Konten von corp.example anmelden; Ihres ist von partner.example.</p>',
  )
  expect((await get('/login')).status).toBe(200)
})

it('shows that a sign-in took too long, or began elsewhere, for a provider that it knows', async () => {
  const { get } = await open()
  const words = 'This sign-in took too long, or began in another window. Please try again.'
  await expectProblem(await get(`${CALLBACK}?error=access_denied`), 403, words)
  expect((await get('/login/with/unknown/callback')).status).toBe(404)
})

it('counts only failures for the network: a school signs in behind one address', async () => {
  const { get, begin, answered } = await open(0, { signUp: true })
  for (let pupil = 0; pupil < 121; pupil++) expect((await begin()).status).toBe(303)
  const begun = await begin()
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const failed = async () => (await get(`${CALLBACK}?code=x&state=${state}`, cookieOf(begun))).status
  const statuses: number[] = []
  for (let n = 0; n < 119; n++) statuses.push(await failed())
  expect(new Set(statuses)).toEqual(new Set([403]))
  expect((await answered(await begin())).status).toBe(303)
  expect((await answered(await begin())).status).toBe(303)
  expect([await failed(), await failed()]).toEqual([403, 429])
})

it('counts no callback without the cookie of a sign-in, which any web page can make a browser load', async () => {
  const { server, get } = await open()
  for (let image = 0; image < 121; image++) expect((await get(CALLBACK)).status).toBe(403)
  expect(await sessionCookie(server.baseUrl)).toMatch(/^session/)
})

it('is not begun if the cookie would be too long for a browser, which would drop it', async () => {
  const { begin } = await open()
  const longest = `/oauth/authorize?state=${'a'.repeat(2400)}`
  const begun = await begin(longest)
  expect([begun.status, Number(begun.headers.getSetCookie()[0]?.length) < 4096]).toEqual([303, true])
  const words =
    'The request of the app is too long for this way to sign in. Choose another, or start again in the app.'
  await expectProblem(await begin(`${longest}${'a'.repeat(600)}`), 400, words)
})

it('shows that an old sign-in at the provider is not a new one', async () => {
  const { begin, answered } = await open(120)
  const answer = await answered(await begin('/account', { prompt: 'login' }))
  const words =
    'You have to sign in again, and Partner did not confirm a new sign-in. Please use another way to sign in.'
  await expectProblem(answer, 403, words)
})

it('asks the provider for a new sign-in where a page of the server requires one, also after a failure', async () => {
  const { get, begin, answered } = await open(600, { signUp: true })
  const session = cookieOf(await answered(await begin()))
  const link = 'href="/login?return_to=%2Faccount&amp;prompt=login"'
  expect(await (await get('/account', session)).text()).toContain(link)
  const carried = '<input type="hidden" name="prompt" value="login">'
  expect(await (await get('/login?return_to=/account&prompt=login')).text()).toContain(carried)
  const again = () => begin('/account', { prompt: 'login' })
  const begun = await again()
  expect(new URL(begun.headers.get('location') ?? '').searchParams.get('prompt')).toBe('login')
  const old = await answered(begun)
  expect([old.status, await old.text()]).toEqual([403, expect.stringContaining(carried)])
})

const WITH_TOKENS: Partial<ServerConfig> = {
  scopes: { 'notes:read': { description: 'Read your notes', personal: true } },
  features: { personalTokens: { enabled: true } },
}

it.each([
  ['the account page', () => '/account', 'To change this,'],
  ['the admin pages', (id: string) => `/admin/user?id=${id}`, 'To change something here,'],
  ['the page of tokens', () => '/account/tokens', 'Sign in again'],
])('lets a user of a provider sign in again for %s', async (_, pathOf, words) => {
  const { server, get, begin, answered } = await open(600, { signUp: true }, {}, WITH_TOKENS)
  await answered(await begin())
  const id = (await server.accounts.idOf('alice@partner.example')) ?? ''
  await server.accounts.setAdmin(id, true)
  const session = cookieOf(await answered(await begin()))
  const path = pathOf(id)
  const page = await (await get(path, session)).text()
  expect(page).toContain(words)
  const link =
    /href="(\/login\?[^"]*)"[^>]*>\s*[Ss]ign in again/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const form = fieldsOf(await (await get(link, session)).text())
  const again = () => begin(form.return_to, form)
  const withAuthTime = await answered(await again(), session)
  expect([withAuthTime.status, await withAuthTime.text()]).toEqual([
    403,
    expect.stringContaining('did not confirm'),
  ])
  const without = await answered(await again(), session, false)
  expect([without.status, without.headers.get('location')], 'the user has no other way').toEqual([303, path])
  expect(await (await get(path, cookieOf(without))).text()).not.toContain(words)
})

it('sends a user whom the provider does not sign in again back to the app, which gets login_required', async () => {
  const { server, get, begin, answered } = await open(600, { signUp: true })
  const callback = 'https://app.example/callback'
  const { clientId } = await server.clients.add({ clientName: 'Notes', redirectUris: [callback] })
  const request = new URLSearchParams({ client_id: clientId, redirect_uri: callback, response_type: 'code' })
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256', scope: 'notes:read' }
  for (const [name, value] of Object.entries({ ...challenge, prompt: 'login', state: 's' }))
    request.set(name, value)
  for (const withAuthTime of [true, false]) {
    const asked = await get(`/oauth/authorize?${request}`)
    const form = fieldsOf(await (await get(asked.headers.get('location') ?? '')).text())
    const page = await answered(await begin(form.return_to, form), '', withAuthTime)
    const text = await page.text()
    expect([page.status, text]).toEqual([403, expect.stringContaining('did not confirm a new sign-in')])
    const [, back = ''] = /href="([^"]*)">Go back to <bdi>Notes</.exec(text) ?? []
    const answer = new URL((await get(back.replaceAll('&amp;', '&'))).headers.get('location') ?? '')
    expect([answer.origin, answer.searchParams.get('error'), answer.searchParams.get('state')]).toEqual([
      'https://app.example',
      'login_required',
      's',
    ])
  }
})

it('does not take a return for a new sign-in, if the user left the demand out of the form', async () => {
  const { server, get, begin, answered } = await open(0, { signUp: true })
  const callback = 'https://app.example/callback'
  const { clientId } = await server.clients.add({ clientName: 'Notes', redirectUris: [callback] })
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256', scope: 'notes:read' }
  const request = { client_id: clientId, redirect_uri: callback, response_type: 'code', ...challenge }
  const asked = await get(`/oauth/authorize?${new URLSearchParams({ ...request, prompt: 'login' })}`)
  const { return_to = '' } = fieldsOf(await (await get(asked.headers.get('location') ?? '')).text())
  const session = cookieOf(await answered(await begin(return_to), '', false))
  const again = await get(return_to, session)
  expect(again.headers.get('location')).toMatch(/^\/login\?.*prompt=login/)
})

it('lets a user of a provider without auth_time add a passkey, until the account has one', async () => {
  const { server, get, begin, answered } = await open(0, { signUp: true })
  const passkey = softwareAuthenticator(server.baseUrl)
  const signedIn = async () => cookieOf(await answered(await begin(), '', false))
  const session = await signedIn()
  const signIn = server.events.find(({ type }) => type === 'sign_in_succeeded')
  expect(signIn).toMatchObject({ signedInBy: 'provider partner' })
  const creation = await get('/account/passkeys', session)
  const [, token = ''] =
    /name="token" value="([^"]+)"/.exec(await (await get('/account', session)).text()) ?? []
  const added = await fetch(`${server.baseUrl}/account/passkeys`, {
    method: 'POST',
    headers: { cookie: `${session}; ${cookieOf(creation)}` },
    body: new URLSearchParams({ token, answer: passkey.create(await creation.json()) }),
    redirect: 'manual',
  })
  expect([added.status, added.headers.get('location')]).toEqual([303, '/account#sign-in'])
  expect((await get('/account/passkeys', await signedIn())).status).toBe(403)
})

it('lets an admin who has a passkey set no first password after a sign-in with the provider', async () => {
  const { server, get, begin, answered } = await open(0, { signUp: true })
  await answered(await begin())
  const id = (await server.accounts.idOf('alice@partner.example')) ?? ''
  await server.accounts.setAdmin(id, true)
  const key = { id: 'key', account: id, name: 'key', public_key: '', counter: 0, transports: '[]' }
  await server.database
    .insertInto('passkey')
    .values({ ...key, synced: 0, added_at: '0', used_at: null })
    .execute()
  const session = cookieOf(await answered(await begin()))
  const account = await (await get('/account', session)).text()
  expect(account).not.toContain('/account/password')
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(account) ?? []
  const set = await fetch(`${server.baseUrl}/account/password`, {
    method: 'POST',
    headers: { cookie: session },
    body: new URLSearchParams({ token, new_password: 'of a thief', new_password_again: 'of a thief' }),
    redirect: 'manual',
  })
  expect([set.status, (await server.accounts.find(id))?.password]).toEqual([403, ''])
})

it('lets a user of a provider without auth_time change nothing where the account has a password', async () => {
  const { server, get, begin, connect, answered } = await open()
  const owner = await sessionCookie(server.baseUrl)
  await answered(await connect(owner), owner)
  const session = cookieOf(await answered(await begin(), '', false))
  expect((await get('/account', session)).status).toBe(200)
  expect((await get('/account/passkeys', session)).status).toBe(403)
})

it('shows a connected provider by its label, whatever the issuer of the token is, and offers it once', async () => {
  const { server, get, connect, answered } = await open()
  const owner = await sessionCookie(server.baseUrl)
  expect(await (await get('/account', owner)).text()).toContain('<button>Connect Partner</button>')
  const session = cookieOf(await answered(await connect(owner), owner))
  // As at Microsoft, whose tokens have the issuer of a tenant.
  await server.database.updateTable('identity').set({ issuer: 'https://idp.example/tenant' }).execute()
  const page = await (await get('/account', session)).text()
  expect(page).toContain('<p class="app-name">Partner <bdi>')
  expect(page).not.toContain('Connect Partner')
})

it('ends every other session when a provider is connected, and keeps this one with its sign-in', async () => {
  const { server, get, connect, answered } = await open()
  const [owner, elsewhere] = [await sessionCookie(server.baseUrl), await sessionCookie(server.baseUrl)]
  const session = cookieOf(await answered(await connect(owner), owner))
  const statuses = [owner, elsewhere, session].map(async (cookie) => (await get('/account', cookie)).status)
  expect(await Promise.all(statuses)).toEqual([303, 303, 200])
  expect(server.events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['identity_linked', 'sessions_ended']),
  )
  expect(server.events.findLast(({ type }) => type === 'sign_in_succeeded')).toMatchObject({
    signedInBy: 'password',
  })
})

it('connects what two tabs have begun, in the session that the first one left', async () => {
  const { server, get, connect, answered } = await open()
  const owner = await sessionCookie(server.baseUrl)
  const [first, second, third] = [await connect(owner), await connect(owner), await connect(owner)]
  const renewed = cookieOf(await answered(first, owner))
  const answer = await answered(second, renewed)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
  expect((await get('/account', renewed)).status, 'the session before').toBe(303)
  const again = cookieOf(answer)
  expect((await answered(await connect(again), again)).status, 'a tab of the renewed session').toBe(303)
  const other = await sessionCookie(server.baseUrl)
  expect((await answered(third, other)).status, 'not after a new sign-in').toBe(403)
})

it('connects nothing in another session than the one that asked for it', async () => {
  const { server, connect, answered } = await open()
  const attacker = await sessionCookie(server.baseUrl)
  const victim = await sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher')
  expect((await answered(await connect(attacker), victim)).status).toBe(403)
  expect(await server.database.selectFrom('identity').selectAll().execute()).toEqual([])
  expect((await answered(await connect(attacker))).status, 'nor without one').toBe(403)
})

it('shows that the identity is linked to another account', async () => {
  const { server, connect, answered } = await open()
  const owner = await sessionCookie(server.baseUrl)
  expect((await answered(await connect(owner), owner)).headers.get('location')).toBe('/account')
  const other = await sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher')
  const answer = await answered(await connect(other), other)
  const page = await answer.text()
  expect([answer.status, /role="alert">([^<]*)/.exec(page)?.[1]]).toEqual([
    403,
    'Your account of Partner is connected with another account here.',
  ])
  expect(page).toContain('<h1>Your account</h1>')
  expect(page, 'who is signed in needs no sign-in form').not.toContain('action="/login')
})

it('shows that the address is that of an account, and the trail tells whose', async () => {
  const { server, begin, answered } = await open()
  await server.accounts.add({ ...DANA, id: 'alice', email: 'alice@partner.example' })
  const words =
    'There is an account here with this e-mail address. If it is yours, sign in to it and connect Partner there.'
  await expectProblem(await answered(await begin()), 403, words)
  const refused = { type: 'sign_in_refused', reason: 'email_in_use', subject: 'alice', provider: 'partner' }
  expect(server.events).toContainEqual(expect.objectContaining(refused))
})

it('shows on the account page why a provider cannot be connected, in the language of the user and with a reference', async () => {
  const { op, server, get } = await open()
  const owner = await sessionCookie(server.baseUrl)
  const account = await (await get('/account', owner)).text()
  await op.close()
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(account) ?? []
  const page = await fetch(`${server.baseUrl}/account/identities`, {
    method: 'POST',
    headers: { cookie: owner, 'accept-language': 'de' },
    body: new URLSearchParams({ token, provider: 'partner' }),
  })
  const text = await page.text()
  expect([page.status, text]).toEqual([
    403,
    expect.stringMatching(/<html lang="de" dir="ltr">.*<p class="problem" role="alert">[^<]*Partner/s),
  ])
  const [, reference = ''] = /Referenz: <code>([0-9A-Z-]{9})</.exec(text) ?? []
  expect(server.events.findLast(({ type }) => type === 'sign_in_refused')).toMatchObject({ reference })
})

it('sends the forms of the account page to the server alone, and continues to the provider from a page', async () => {
  const { op, server, get, connect } = await open()
  const owner = await sessionCookie(server.baseUrl)
  const policy = (await get('/account', owner)).headers.get('content-security-policy')
  expect(policy).toContain("form-action 'self';")
  const between = await connect(owner)
  expect([between.status, between.headers.get('refresh')]).toEqual([
    200,
    expect.stringContaining(`0;url=${op.provider.issuer}/auth?`),
  ])
  expect(await between.text()).toContain(`<a href="${op.provider.issuer}/auth?`)
})

it.each([
  ['that says nothing adds a first passkey', 0, {}, '/login/enrol?return_to=%2Faccount'],
  [
    'that asked for nothing for an hour signs in there again',
    3600,
    {},
    '/login?return_to=%2Faccount&prompt=login&needs=fresh',
  ],
  ['that says phr and is trusted is signed in', 0, { acr: 'phr' }, '/account'],
])('where all users need a passkey, who comes by a provider %s', async (_, age, authentication, next) => {
  const rules = { signUp: true, trustAcr: true } as const
  const config = { requirePasskey: { who: 'all', from: '2020-01-01' } } as const
  const { begin, answered } = await open(age, rules, {}, config, authentication)
  const answer = await answered(await begin('/account', { acr_values: 'phr' }))
  expect(answer.headers.get('location')).toBe(next)
})

it('where all users need a passkey, a provider that asked for nothing for an hour leads to a page that says why', async () => {
  const config = { requirePasskey: { who: 'all', from: '2020-01-01' } } as const
  const { get, begin, answered } = await open(3600, { signUp: true }, {}, config)
  const again = await answered(await begin())
  const words =
    'Your account needs a passkey. To add one, sign in again: this sign-in does not show that you were there in the last five minutes.'
  await expectProblem(await get(again.headers.get('location') ?? ''), 200, words)
})

it.each<[string, string | string[], object, unknown]>([
  ['not to one that every user needs a passkey for', 'all', {}, undefined],
  ['not to one that the role itself needs a passkey for', ['editor'], {}, undefined],
  ['to one that has proved a passkey there', ['editor'], { acr: 'phr' }, ['editor']],
  ['to one of whom no passkey is demanded', ['auditor'], {}, ['editor']],
])('a provider gives roles to a sign-in that is let in: %s', async (_, who, authentication, given) => {
  const rules = {
    ...{ signUp: true, trustAcr: true },
    roles: { claim: 'groups', map: { staff: ['editor'] } },
  }
  const config = { requirePasskey: { who, from: '2020-01-01' } } as Partial<ServerConfig>
  const { server, begin, answered } = await open(0, rules, { groups: ['staff'] }, config, authentication)
  await answered(await begin('/account', { acr_values: 'phr' }))
  const subject = (await server.accounts.idOf('alice@partner.example')) ?? ''
  expect((await server.accounts.claims(subject))?.roles).toEqual(given)
  const changes = server.events.filter(({ type }) => type === 'account_roles_changed')
  expect(changes).toHaveLength(given === undefined ? 0 : 1)
})
