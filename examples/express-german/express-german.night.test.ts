import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { formBrowser, formEncoded, formOfPage, testClient } from '@grantkit/testkit/client'
import { expect, it, onTestFinished } from 'vitest'
import { addedLines } from '../added-lines.ts'
import { copyOut } from '../copy-out.ts'

const FOLDER = copyOut(import.meta.dirname)
const BEFORE = join(FOLDER, 'before.ts')
const AFTER = join(FOLDER, 'after.ts')
const ADA = { email: 'ada@kontor.example', password: 'wonderland' }
const ORDERS = [{ item: '500 Blatt Papier' }]

it('lets an app read the orders of a user of its own table', async () => {
  const { base } = await run()
  const app = await testClient(base, { browser: formBrowser({ origin: base, typed: ADA }) })
  const { access_token } = await app.tokens('orders:read')
  const orders = await fetch(`${base}/api/orders`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await orders.json()).toEqual(ORDERS)
  expect((await fetch(`${base}/api/orders`)).status).toBe(401)
})

it('asks in German and in the colors of the company, and names the user', async () => {
  const { app } = await signedIn()
  const { body } = await app.visit(
    app.authorizationUrl({ scope: 'orders:read', code_challenge: 'c'.repeat(43) }),
  )
  for (const shown of [
    'lang="de"',
    '#9d174d',
    'data:image/svg',
    'Impressum',
    'Ada Lenz',
    'ada@kontor.example',
  ])
    expect(body).toContain(shown)
  expect(body).toContain('Ihre Bestellungen ansehen')
  expect(body).toContain('Erlauben')
})

it('lists the connected app, and disconnects it', async () => {
  const { base, app, browser } = await signedIn()
  const { access_token } = await app.tokens('orders:read')
  const list = await app.visit(`${base}/connected-apps`)
  expect(list.body).toContain('Kassenbuch')
  const body = formEncoded(formOfPage(list).fields)
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...browser }
  const answer = await fetch(`${base}/connected-apps/disconnect`, { method: 'POST', body, headers })
  expect(await answer.text()).toContain('getrennt')
  const refused = await fetch(`${base}/api/orders`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(refused.status).toBe(401)
})

it('signs a device in by the code that its user types', async () => {
  const { base, app, till } = await signedIn()
  const post = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: till, ...fields })
    const answer = await fetch(`${base}/api/oauth/${path}`, { method: 'POST', body })
    return (await answer.json()) as Record<string, string>
  }
  const { device_code = '', user_code = '' } = await post('device_authorization', { scope: 'orders:read' })
  const question = await app.decide(await app.visit(`${base}/oauth/device`), { user_code })
  expect(question.body).toContain('Kontor-Kasse')
  expect(question.body).toContain('Eingerichtet von')
  await app.decide(question, { decision: 'allow' })
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  expect(await post('token', { grant_type, device_code })).toMatchObject({ scope: 'orders:read' })
})

it('takes at most 60 lines, and no markup', () => {
  const added = addedLines(BEFORE, AFTER)
  expect(added.length).toBeGreaterThan(0)
  expect(added.length).toBeLessThanOrEqual(60)
  expect(added.filter((line) => /<\/?[a-z]+[ >]/.test(line))).toEqual([])
})

/** Runs the program as a reader would, until the test ends. */
async function run(): Promise<{ base: string; till: string }> {
  const port = await freePort()
  const program = spawn(process.execPath, [AFTER], {
    env: { PATH: process.env.PATH, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void program.kill())
  const [line] = await once(program.stdout, 'data')
  return { base: `http://127.0.0.1:${port}`, till: String(line).trim().split(' ').at(-1) ?? '' }
}

/** An app, and a browser in which Ada is signed in. */
async function signedIn() {
  const { base, till } = await run()
  const body = new URLSearchParams(ADA)
  const { headers } = await fetch(`${base}/login`, { method: 'POST', body, redirect: 'manual' })
  const browser = { cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' }
  const app = await testClient(base, { browser, metadata: { client_name: 'Kassenbuch' } })
  return { base, till, browser, app }
}
