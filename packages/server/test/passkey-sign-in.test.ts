import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import {
  type Bend,
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '@grantkit/test-servers/software-authenticator'
import { registerClient } from '@grantkit/testkit/client'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** Sign-in with passkeys: valid ones, invalid ones, and too many. */

let server: RunningServer
let passkey: SoftwareAuthenticator
beforeEach(async () => {
  server = await runServer((port) => ({ BASE_URL: `http://localhost:${port}` }))
  passkey = softwareAuthenticator(server.baseUrl)
  await addPasskey(passkey)
})
afterEach(() => server.close())

interface SignInOptions {
  readonly bend?: Bend
  readonly returnTo?: string
  readonly cookie?: string
}

const cookiesOf = (...answers: Response[]) =>
  answers.flatMap(({ headers }) => headers.getSetCookie().map((line) => line.split(';')[0])).join('; ')
const tokenIn = (page: string) => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
const get = (path: string, cookie = '') =>
  fetch(new URL(path, server.baseUrl), { headers: { cookie }, redirect: 'manual' })
const post = (path: string, cookie: string, fields: Record<string, string>) =>
  fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })

async function addPasskey(added: SoftwareAuthenticator): Promise<void> {
  const session = await sessionCookie(server.baseUrl)
  expect((await register(added, session)).status).toBe(303)
}

async function register(added: SoftwareAuthenticator, session: string): Promise<Response> {
  const token = tokenIn(await (await get('/account', session)).text())
  const creation = await get('/account/passkeys', session)
  const answer = added.create(await creation.json())
  const cookie = `${session}; ${cookiesOf(creation)}`
  return post('/account/passkeys', cookie, { token, answer, name: 'key' })
}

async function signIn(by = passkey, { bend, returnTo = '/account', cookie = '' }: SignInOptions = {}) {
  const page = await get('/login')
  const creation = await get('/login/passkey')
  const fields = {
    token: tokenIn(await page.text()),
    answer: by.get(await creation.json(), bend),
    return_to: returnTo,
  }
  return post('/login/passkey', `${cookie}; ${cookiesOf(page, creation)}`, fields)
}

const WRONG: Bend = { signature: Buffer.alloc(70) }
const unknownAuthenticator = () => softwareAuthenticator(server.baseUrl)

it('answers the same to an unknown passkey, a wrong signature and an account that is disabled', async () => {
  const wrong = await signIn(passkey, { bend: WRONG })
  const unknown = await signIn(unknownAuthenticator())
  await server.accounts.setDisabled('demo-account', true)
  const disabled = await signIn()
  const [first, ...others] = await Promise.all([wrong, unknown, disabled].map(comparable))
  expect(first).toMatchObject({ status: 401, body: expect.stringContaining('did not sign you in') })
  for (const other of others) expect(other).toEqual(first)
})

/** Without what is new in every answer. */
async function comparable(answer: Response) {
  const body = (await answer.text()).replaceAll(/name="token" value="[^"]+"/g, '')
  return { status: answer.status, body, headers: [...answer.headers.keys()] }
}

it('ends every session when a passkey is removed, so that none of them can add a passkey', async () => {
  const stolen = cookiesOf(await signIn())
  const creation = await get('/account/passkeys', stolen)
  const answer = unknownAuthenticator().create(await creation.json())
  const token = tokenIn(await (await get('/account', stolen)).text())
  const owner = await sessionCookie(server.baseUrl)
  const form = { token: tokenIn(await (await get('/account', owner)).text()), id: passkey.id }
  expect((await post('/account/passkeys/remove', owner, form)).status).toBe(303)
  const added = await post('/account/passkeys', `${stolen}; ${cookiesOf(creation)}`, { token, answer })
  expect(added.headers.get('location')).toMatch(/^\/login/)
  expect((await get('/account/passkeys', stolen)).status).toBe(403)
  expect(server.events.filter(({ type }) => type === 'passkey_added')).toHaveLength(1)
})

it('counts failures of a passkey like wrong passwords, without effect on other passkeys', async () => {
  const other = unknownAuthenticator()
  await addPasskey(other)
  for (let n = 0; n < 10; n++) expect((await signIn(passkey, { bend: WRONG })).status).toBe(401)
  const refused = await signIn()
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.closeTo(900, -2)])
  expect(await refused.text()).toContain('Too many attempts')
  expect((await signIn(other)).status).toBe(303)
})

it('counts an unknown passkey for nobody: after a flood of them passkeys and passwords sign in', async () => {
  const statuses = new Set<number>()
  for (let n = 0; n < 130; n++) statuses.add((await signIn(unknownAuthenticator())).status)
  expect(statuses).toEqual(new Set([401]))
  expect((await signIn()).status).toBe(303)
  expect(await sessionCookie(server.baseUrl)).toMatch(/^session/)
})

it.each([
  ['prompt=login', { prompt: 'login' }],
  ['max_age', { max_age: '60' }],
])('starts a new session, with a sign-in that satisfies %s', async (_name, demand) => {
  const before = await sessionCookie(server.baseUrl)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60 * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  const { client_id = '' } = await registerClient(server.baseUrl, { redirect_uris: [REDIRECT_URI] })
  const query = new URLSearchParams({ ...request(client_id), ...demand })
  const sent = await get(`/oauth/authorize?${query}`, before)
  const login = new URL(sent.headers.get('location') ?? '', server.baseUrl)
  expect(login.pathname).toBe('/login')
  const returnTo = login.searchParams.get('return_to') ?? ''
  expect((await get(returnTo, before)).status, 'the session before does not').toBe(303)
  const signedIn = await signIn(passkey, { returnTo, cookie: before })
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, returnTo])
  const creation = await get(returnTo, cookiesOf(signedIn))
  expect([creation.status, await creation.text()]).toEqual([200, expect.stringContaining('Read your notes')])
  expect(new Set(signIns().map(({ sessionId }) => sessionId)).size).toBe(signIns().length)
  expect(signIns().at(-1)).toMatchObject({ signedInBy: 'passkey' })
})

const REDIRECT_URI = 'http://127.0.0.1:1/cb'
const request = (client_id: string) => ({
  client_id,
  response_type: 'code',
  redirect_uri: REDIRECT_URI,
  scope: 'notes:read',
  code_challenge: 'c'.repeat(43),
  code_challenge_method: 'S256',
})
const signIns = () => server.events.filter((event) => event.type === 'sign_in_succeeded')

it('is not offered at an IP address, and the account page explains it', async () => {
  const atAddress = await runServer()
  onTestFinished(() => atAddress.close())
  const headers = { cookie: await sessionCookie(atAddress.baseUrl) }
  const account = await (await fetch(`${atAddress.baseUrl}/account`, { headers })).text()
  expect(account).toContain('Browsers offer no passkeys at this address')
  expect(await (await fetch(`${atAddress.baseUrl}/login`)).text()).not.toContain('passkey')
  expect((await fetch(`${atAddress.baseUrl}/login/passkey`)).status).toBe(404)
})
