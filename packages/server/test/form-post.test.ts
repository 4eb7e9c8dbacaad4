import { runTestProvider, type TestProvider } from '@grantkit/testkit/provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** A provider that posts its answer: `responseMode: 'form_post'`. */

const CALLBACK = '/login/with/partner/callback'
const USER = JSON.stringify({ name: { firstName: 'Alice', lastName: 'Li' } })
let op: TestProvider & { close(): Promise<void> }
let server: RunningServer

beforeAll(async () => {
  op = await runTestProvider({
    plays: 'apple',
    change: { takesSecretJwt: false, posted: { user: USER } },
  })
  const { clientSecret: PARTNER_SECRET, ...settings } = op.settings
  const partner = { ...settings, clientSecret: { env: 'PARTNER_SECRET' } }
  const upstream = [
    { ...partner, signUp: true },
    { ...partner, id: 'by-get', responseMode: 'query' },
  ]
  server = await runServer(
    (port) => ({ BASE_URL: `http://localhost:${port}`, PARTNER_SECRET: String(PARTNER_SECRET) }),
    { upstream } as never,
  )
})
afterAll(async () => {
  await server.close()
  await op.close()
})

function fieldsOf(page: string): Record<string, string> {
  const inputs = [...page.matchAll(/name="([^"]+)" value="([^"]*)"/g)]
  return Object.fromEntries(
    inputs.map(([, name, value = '']) => [
      name,
      value.replace(/&#(\d+);|&quot;/g, (_, code) => (code ? String.fromCharCode(Number(code)) : '"')),
    ]),
  )
}

const cookieOf = ({ headers }: Response) => headers.getSetCookie()[0]?.split(';')[0] ?? ''

const sessionIn = ({ headers }: Response) =>
  headers.getSetCookie().some((line) => /^(__Host-)?session[^=]*=[^;]/.test(line))

/** At the provider, which has its form ready. */
async function begun() {
  const page = await fetch(`${server.baseUrl}/login`)
  const { token = '' } = fieldsOf(await page.text())
  const response = await fetch(`${server.baseUrl}/login/with/partner`, {
    method: 'POST',
    headers: { cookie: cookieOf(page) },
    body: new URLSearchParams({ token, return_to: '/account' }),
    redirect: 'manual',
  })
  const form = await op.visit(response.headers.get('location') ?? '').text()
  return { cookie: cookieOf(response), fields: fieldsOf(form) }
}

function post(fields: Record<string, string>, headers: Record<string, string>, id = 'partner') {
  const body = new URLSearchParams(fields)
  const url = `${server.baseUrl}/login/with/${id}/callback`
  return fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
}

const FROM_PROVIDER = { origin: 'https://appleid.apple.com', 'sec-fetch-site': 'cross-site' }
const FROM_HERE = { 'sec-fetch-site': 'same-origin' }

describe('the answer of a provider by POST', () => {
  it('is posted again by a page of this server, which gets the cookies, and signs in', async () => {
    const { cookie, fields } = await begun()
    const between = await post(fields, FROM_PROVIDER)
    const page = await between.text()
    expect([between.status, between.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(page).toContain('<button class="primary">Continue</button>')
    expect(page).toContain('src="/assets/post-again.js"')
    expect(page).toContain('<form method="post">')
    expect(fieldsOf(page)).toEqual(fields)
    const signedIn = await post(fieldsOf(page), { ...FROM_HERE, cookie })
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/account'])
  })

  it('counts once, and gives an account that exists no other name', async () => {
    const { cookie, fields } = await begun()
    const forged = { ...fields, user: JSON.stringify({ name: { firstName: 'Mallory' } }) }
    expect((await post(forged, { ...FROM_HERE, cookie })).status).toBe(303)
    const { items: accounts } = await server.directory.page({}, 50)
    expect(accounts.map(({ name }) => name)).toContain('Alice Li')
    expect(accounts.map(({ name }) => name)).not.toContain('Mallory')
    expect((await post(forged, { ...FROM_HERE, cookie })).status).toBe(403)
  })

  it('signs nobody in where another browser began, whoever posts it', async () => {
    const { fields } = await begun()
    expect((await post(fields, FROM_HERE)).status).toBe(403)
    const other = await begun()
    expect((await post(fields, { ...FROM_HERE, cookie: other.cookie })).status).toBe(403)
  })

  it('of an attacker signs nobody in, from whatever site it comes and whatever cookies come with it', async () => {
    const [attacker, victim] = [await begun(), await begun()]
    for (const origin of ['https://appleid.apple.com', 'https://evil.example', 'null'])
      for (const cookie of ['', victim.cookie]) {
        const between = await post(attacker.fields, { ...FROM_PROVIDER, origin, cookie })
        expect([between.status, between.headers.getSetCookie()], origin).toEqual([200, []])
        const answer = await post(fieldsOf(await between.text()), { ...FROM_HERE, cookie })
        expect([answer.status, server.taken('sign_in_refused').at(-1)]).toMatchObject([
          403,
          { reason: 'state_expired' },
        ])
        expect(sessionIn(answer)).toBe(false)
      }
    expect((await post(victim.fields, { ...FROM_HERE, cookie: victim.cookie })).status).toBe(303)
  })

  it('finishes two tabs of a browser, the second one first, each once', async () => {
    const tabs = [await begun(), await begun()]
    const cookie = tabs.map((tab) => tab.cookie).join('; ')
    for (const { fields } of tabs.toReversed()) {
      const answer = await post(fields, { ...FROM_HERE, cookie })
      expect([answer.status, sessionIn(answer)]).toEqual([303, true])
      expect((await post(fields, { ...FROM_HERE, cookie })).status, 'the same again').toBe(403)
    }
  })

  it('of 8 KiB and more is refused', async () => {
    const { cookie, fields } = await begun()
    const answer = await post({ ...fields, user: 'u'.repeat(8192) }, { ...FROM_HERE, cookie })
    expect(answer.status).toBe(413)
  })
})

it('closes GET for a provider that posts, and POST for every other', async () => {
  const get = await fetch(`${server.baseUrl}${CALLBACK}?code=x&state=y`, { redirect: 'manual' })
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  const posted = await post({ code: 'x' }, FROM_PROVIDER, 'by-get')
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
  expect((await post({}, FROM_PROVIDER, 'unknown')).status).toBe(404)
})

it('serves the script that posts again', async () => {
  const script = await fetch(`${server.baseUrl}/assets/post-again.js`)
  expect(await script.text()).toContain('document.forms[0].submit()')
})
