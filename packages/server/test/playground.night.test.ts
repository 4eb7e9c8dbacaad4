/// <reference lib="dom" />
import { protect } from '@grantkit/adapter-hono'
import { openChromium } from '@grantkit/test-servers/chromium'
import { expectOnEveryScreen } from '@grantkit/test-servers/screens'
import { addAuthenticator, suggestNothing } from '@grantkit/test-servers/virtual-authenticator'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Locator, Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { ServiceDefinition } from '../src/definition.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** The playground, as a developer uses it. */

const scopes = {
  openid: { description: 'Know who you are' },
  'notes:read': { description: 'Read your notes', access: 'read' as const },
  'notes:write': { description: 'Change your notes', access: 'write' as const },
}
/** Only a recent sign-in with a passkey opens the diary (RFC 9470). */
const definition: ServiceDefinition = {
  mount({ config, guard }) {
    const api = guard(config.baseUrl)
    const app = new OpenAPIHono()
    for (const path of ['/api/notes', '/api/diary'])
      app.openAPIRegistry.registerPath({
        ...{ method: 'get', path, security: [{ oauth2: ['notes:read'] }] },
        responses: { 200: { description: 'The notes' } },
      })
    app.get('/api/notes', protect(api, 'notes:read'), (c) => c.json([{ text: 'a note' }]))
    app.get('/api/diary', protect(api.requiring({ acr: 'phr', maxAge: 300 }), 'notes:read'), (c) =>
      c.json([{ text: 'Dear diary' }]),
    )
    return [app]
  },
}

async function open(variables: Record<string, string> = {}): Promise<{ server: RunningServer; page: Page }> {
  // Browsers support no passkey at an IP address.
  const own = (port: number) => ({ BASE_URL: `http://localhost:${port}`, STEP_UP: 'on', ...variables })
  const server = await runServer(
    (port) => ({ NODE_ENV: 'development', ...own(port) }),
    { scopes },
    { definition },
  )
  onTestFinished(() => server.close())
  const browser = await openChromium({ permissions: ['clipboard-read', 'clipboard-write'] })
  onTestFinished(() => browser.close())
  return { server, page: await browser.context.newPage() }
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Presses the button of a step. @returns where the step shows its answer */
async function press(page: Page, button: string): Promise<Locator> {
  const step = page.locator('section', { has: page.getByRole('button', { name: button, exact: true }) })
  await step.getByRole('button', { name: button, exact: true }).click()
  return step.getByRole('group', { name: 'Answer', exact: true })
}

it('a developer walks the whole flow: from the metadata to a revoked grant', async () => {
  const { server, page } = await open()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (/Content.Security.Policy/.test(message.text())) complaints.push(message.text())
  })
  await addAuthenticator(page)
  await suggestNothing(page)
  await page.goto(`${server.baseUrl}/login?return_to=/account`)
  await signIn(page)
  await page.getByLabel('Name of a new passkey').fill('laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey laptop').waitFor()
  await page.context().clearCookies()

  await page.goto(`${server.baseUrl}/playground`)
  await expectOnEveryScreen(page)
  expect(await (await press(page, 'Read the metadata')).textContent()).toContain('"token_endpoint"')
  await page.getByRole('link', { name: 'Next: 2. Registration' }).click()
  expect(await (await press(page, 'Register')).textContent()).toMatch(/^201\n/)

  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await signIn(page)
  expect(await page.locator('main').textContent()).toContain('Playground')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${server.baseUrl}/playground`)
  const returned = page.locator('#authorization')
  expect(await returned.textContent()).toMatch(/code_challenge_method.*S256.*iss/s)

  const token = await press(page, 'Redeem the code')
  expect(await token.textContent()).toMatch(/^200\n.*"access_token": "gka_[^"]*…[^"]*"/s)
  await page.getByText('id_token in full, and decoded').click()
  expect(await page.getByRole('group', { name: 'id_token, decoded' }).last().textContent()).toContain('"sub"')
  expect(page.url()).toBe(`${server.baseUrl}/playground`)

  expect(await (await press(page, 'Call the API')).textContent()).toMatch(/^200\n.*"sub"/s)
  await page.getByLabel('API', { exact: true }).selectOption('/api/diary')
  const refused = await press(page, 'Call the API')
  await page.getByText('insufficient_user_authentication:').waitFor()
  expect(await refused.textContent()).toMatch(/^401\n.*acr_values="phr"/s)

  expect(await (await press(page, 'Refresh')).textContent()).toMatch(/^200\n.*"refresh_token"/s)

  expect(await page.getByLabel('acr_values').inputValue()).toBe('phr')
  expect(await page.getByLabel('max_age, in seconds').inputValue()).toBe('300')
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${server.baseUrl}/playground`)
  await press(page, 'Redeem the code')
  await page.getByLabel('API', { exact: true }).selectOption('/api/diary')
  await (await press(page, 'Call the API')).getByText('Dear diary').waitFor()

  await page.locator('#api').getByText('curl', { exact: true }).click()
  await page.locator('#api').getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(
    /^curl -i -X GET 'http:\/\/localhost:\d+\/api\/diary' \\\n {2}-H 'authorization: Bearer gka_/,
  )
  await expectOnEveryScreen(page)

  expect(await (await press(page, 'Revoke')).textContent()).toMatch(/^200/)
  await press(page, 'Call the API')
  await page.getByText('invalid_token:').waitFor()
  expect(complaints, 'no policy stood in the way').toEqual([])
})

it('where clients cannot register, the page says so and takes a client of the operator', async () => {
  const { server, page } = await open({ REGISTRATION: 'off' })
  const { clientId } = await server.clients.add({
    clientName: 'Playground',
    tokenEndpointAuthMethod: 'none',
    redirectUris: [`${server.baseUrl}/playground`],
  })
  await page.goto(`${server.baseUrl}/playground`)
  await press(page, 'Read the metadata')
  await page.getByText('This server has no dynamic client registration').waitFor()
  await page.getByLabel('client_id').fill(clientId)
  await page.getByRole('button', { name: 'Use this client' }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await signIn(page)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('access_denied:').waitFor()
  expect(page.url()).toBe(`${server.baseUrl}/playground`)
})

it('an answer that nobody requested is taken out of the address and redeems nothing', async () => {
  const { server, page } = await open()
  await page.goto(`${server.baseUrl}/playground?code=stolen&state=x&iss=${server.baseUrl}`)
  await page.waitForURL(`${server.baseUrl}/playground`)
  expect(await page.getByRole('button', { name: 'Redeem the code' }).isDisabled()).toBe(true)
})

it('another name of the machine leads to the address of the server', async () => {
  const { server, page } = await open()
  await page.goto(`http://127.0.0.1:${server.port}/playground`)
  await page.waitForURL(`${server.baseUrl}/playground`)
})
