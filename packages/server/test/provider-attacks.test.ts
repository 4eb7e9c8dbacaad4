import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { type TestProvider, testProvider } from '@grantkit/testkit/provider'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** What attackers do with the answers of providers, through the pages of a server with two of them. */

const HONEST = 'honest'
const EVIL = 'evil'
type Name = typeof HONEST | typeof EVIL

let server: RunningServer
let folder: string
let ops: Readonly<Record<Name, TestProvider>>

beforeAll(async () => {
  ops = {
    honest: testProvider({ issuer: 'https://honest.example', clientId: 'of-honest' }),
    evil: testProvider({ issuer: 'https://evil.example', clientId: 'of-evil' }),
  }
  const providers = Object.entries(ops).map(([id, { settings }]) => ({ ...settings, id, signUp: true }))
  folder = await folderInMemory('providers')
  const UPSTREAM_FILE = join(folder, 'upstream.json')
  await writeFile(UPSTREAM_FILE, JSON.stringify({ providers }))
  server = await runServer({ UPSTREAM_FILE })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})
beforeEach(() => {
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    const op = Object.values(ops).find(({ issuer }) => url.startsWith(issuer))
    return op === undefined ? fetch(url, init) : op.fetch(url, init as never)
  })
  for (const { requests } of Object.values(ops)) requests.length = 0
})
afterEach(() => {
  vi.unstubAllGlobals()
  ops.honest.change({ claims: {} })
})

const cookiesOf = ({ headers }: Response) => headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
const get = (path: string, ...cookies: string[]) =>
  fetch(`${server.baseUrl}${path}`, { headers: { cookie: cookies.join('; ') }, redirect: 'manual' })

/** A browser on its way to a provider. */
async function begun(name: Name, fields: Record<string, string> = {}) {
  const page = await get('/login')
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(await page.text()) ?? []
  const response = await fetch(`${server.baseUrl}/login/with/${name}`, {
    method: 'POST',
    headers: { cookie: cookiesOf(page).join('; ') },
    body: new URLSearchParams({ token, return_to: '/account', ...fields }),
    redirect: 'manual',
  })
  return {
    cookie: cookiesOf(response)[0] ?? '',
    request: new URL(response.headers.get('location') ?? ''),
  }
}

/** What the provider sends back to a request: the address of the callback, without the origin. */
function answerOf(name: Name, { href }: URL): string {
  const { pathname, search } = new URL(ops[name].visit(href).headers.get('location') ?? '')
  return `${pathname}${search}`
}

const tokenRequests = () =>
  Object.values(ops).flatMap(({ requests }) => requests.filter(({ url }) => url.pathname === '/token'))

/** Nobody is signed in, and no code has left the server. */
async function expectRefused(response: Response, reason: string): Promise<void> {
  expect([response.status, server.taken('sign_in_refused').at(-1)]).toMatchObject([403, { reason }])
  expect(cookiesOf(response).filter((cookie) => /^(__Host-)?session/.test(cookie))).toEqual([])
  expect(tokenRequests()).toEqual([])
}

describe('a mixed-up answer is refused before a request for tokens', () => {
  it('if it is of one provider and comes to the callback of another, with the cookie of either', async () => {
    const [honest, evil] = [await begun(HONEST), await begun(EVIL)]
    const answer = answerOf(HONEST, honest.request).replace(`/${HONEST}/`, `/${EVIL}/`)
    for (const cookies of [[honest.cookie], [evil.cookie], [honest.cookie, evil.cookie]])
      await expectRefused(await get(answer, ...cookies), 'state_expired')
  })

  it('if a provider has sent the browser on to another one, with its own state', async () => {
    const { cookie, request } = await begun(EVIL)
    const honest = new URL((await begun(HONEST)).request)
    honest.searchParams.set('state', request.searchParams.get('state') ?? '')
    await expectRefused(await get(answerOf(HONEST, honest), cookie), 'state_expired')
  })

  it('if it names another issuer', async () => {
    const { cookie, request } = await begun(HONEST)
    const answer = answerOf(HONEST, request)
    await expectRefused(await get(`${answer}&iss=${ops.evil.issuer}`, cookie), 'response_invalid')
    expect((await get(answer, cookie)).status, 'without one, as the metadata allow').toBe(303)
  })
})

describe('the answer to an attacker in the browser of a victim', () => {
  it('signs nobody in, ends no session and leaves what the victim has begun', async () => {
    const attacker = answerOf(HONEST, (await begun(HONEST)).request)
    const session = await sessionCookie(server.baseUrl)
    const victim = await begun(HONEST)
    for (const cookies of [[], [session], [victim.cookie], [session, victim.cookie]]) {
      const page = await get(attacker, ...cookies)
      await expectRefused(page, 'state_expired')
      const [own = ''] = victim.cookie.split('=')
      expect(cookiesOf(page).filter((line) => line.startsWith(own))).toEqual([])
    }
    expect((await get('/account', session)).status).toBe(200)
    expect((await get(answerOf(HONEST, victim.request), victim.cookie)).status).toBe(303)
  })
})

describe('an account that an attacker made first, with the address of a victim', () => {
  const victim = { sub: 'victim', email: 'victim@corp.example', email_verified: true }
  const by = async (name: Name, user: typeof victim) => {
    ops[name].user = user
    const { cookie, request } = await begun(name)
    return get(answerOf(name, request), cookie)
  }

  it('is not that of the victim, who gets neither its methods nor its sessions', async () => {
    const { user } = ops.honest
    onTestFinished(() => void Object.assign(ops.honest, { user }))
    const attacker = await by(EVIL, { ...victim, sub: 'attacker' })
    const [session = ''] = cookiesOf(attacker).filter((cookie) => cookie.startsWith('session'))
    const page = await by(HONEST, victim)
    expect([page.status, server.taken('sign_in_refused').at(-1)]).toMatchObject([
      403,
      { reason: 'email_in_use' },
    ])
    expect(cookiesOf(page).filter((cookie) => cookie.startsWith('session'))).toEqual([])
    const links = await server.database.selectFrom('identity').select('subject').execute()
    expect(links.map(({ subject }) => subject)).not.toContain(victim.sub)
    expect(await page.text(), 'nothing that the attacker alone could do is offered').not.toContain('connect=')
    const account = await (await get('/account', session)).text()
    expect(account).not.toContain(ops.honest.issuer)
  })
})

describe('a sign-in that is not new', () => {
  const AGAIN = { prompt: 'login' }
  const NOW = () => Math.floor(Date.now() / 1000)

  const comeBack = async (authTime: unknown, fields = {}) => {
    const { cookie, request } = await begun(HONEST, fields)
    // Who takes them out of the address is asked for nothing.
    for (const name of ['prompt', 'max_age']) request.searchParams.delete(name)
    ops.honest.change({ claims: { auth_time: authTime } })
    return get(answerOf(HONEST, request), cookie)
  }

  it('is none, although the user took the demand out of the address of the provider', async () => {
    const page = await comeBack(NOW() - 600, AGAIN)
    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining('did not confirm')])
  })

  it.each([
    ['a text', () => String(NOW())],
    ['in the future', () => NOW() + 120],
  ])('is refused where auth_time is %s', async (_, authTime) => {
    const page = await comeBack(authTime())
    expect([page.status, server.taken('sign_in_refused').at(-1)]).toMatchObject([
      403,
      { reason: 'response_invalid' },
    ])
  })

  it('13 hours ago opens the account page, which changes nothing without a new one', async () => {
    const signedIn = await comeBack(NOW() - 13 * 3600)
    const [session = ''] = cookiesOf(signedIn).filter((cookie) => cookie.startsWith('session'))
    const page = await (await get('/account', session)).text()
    expect(page).toMatch(/To change this, <a href="\/login\?[^"]*prompt=login/)
    expect(page).not.toContain('Connect ')
  })
})
