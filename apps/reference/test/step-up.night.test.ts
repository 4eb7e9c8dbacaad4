/// <reference lib="dom" />
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { freePort } from '@grantkit/test-servers/free-port'
import { type LoopbackApp, openLoopbackApp } from '@grantkit/test-servers/loopback-app'
import { violations } from '@grantkit/test-servers/screens'
import { addAuthenticator, suggestNothing } from '@grantkit/test-servers/virtual-authenticator'
import * as oauth from 'oauth4webapi'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'

/** A client that gets the challenge of RFC 9470, and a user in a real browser who steps up from a password to a passkey. */

const http = { [oauth.allowInsecureRequests]: true }
const SCOPE = 'posts:read posts:write'

let app: LoopbackApp
let callback: string
let service: RunningService
let browser: Browser
let page: Page
beforeAll(async () => {
  const port = String(await freePort())
  const variables = { PORT: port, BASE_URL: `http://localhost:${port}` }
  service = await runService({ ...variables, STEP_UP: 'on', PASSKEY_TO_REMOVE: 'on' })
  app = await openLoopbackApp()
  callback = `${app.origin}/callback`
  browser = await openChromium({ locale: 'de-DE' })
  page = await browser.context.newPage()
  await addAuthenticator(page)
  // The e-mail field would offer the passkey before the password is typed.
  await suggestNothing(page)
})
afterAll(async () => {
  await browser.close()
  await app.close()
  await service.close()
})

interface App {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
}

async function register(): Promise<App> {
  const issuer = new URL(service.baseUrl)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
  const metadata = {
    client_name: 'Editor',
    redirect_uris: [callback],
    token_endpoint_auth_method: 'none',
  }
  const registration = await oauth.dynamicClientRegistrationRequest(as, metadata, http)
  return { as, client: await oauth.processDynamicClientRegistrationResponse(registration) }
}

/** The whole flow in the browser. @param signIn what the user does on the sign-in page */
async function tokenOf(
  { as, client }: App,
  demand: Readonly<Record<string, string>>,
  signIn: () => Promise<void>,
): Promise<string> {
  const verifier = oauth.generateRandomCodeVerifier()
  const url = new URL(as.authorization_endpoint ?? '')
  url.search = String(
    new URLSearchParams({
      ...{ response_type: 'code', client_id: client.client_id, redirect_uri: callback, state: 's' },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      ...{ scope: SCOPE, ...demand },
    }),
  )
  await page.goto(url.href)
  await signIn()
  await page.getByRole('button', { name: 'Erlauben', exact: true }).click()
  await page.waitForURL(`${callback}?*`)
  const answer = oauth.validateAuthResponse(as, client, new URL(page.url()), 's')
  const exchange = await oauth.authorizationCodeGrantRequest(
    ...([as, client, oauth.None(), answer, callback, verifier, http] as const),
  )
  return (await oauth.processAuthorizationCodeResponse(as, client, exchange)).access_token
}

async function byPassword(): Promise<void> {
  await page.getByLabel('E-Mail-Adresse').fill('demo@example.com')
  await page.getByLabel('Passwort').fill('demo')
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
}

async function addPasskey(): Promise<void> {
  await page.goto(`${service.baseUrl}/account`)
  await byPassword()
  await page.getByLabel('Name eines neuen Passkeys').fill('laptop')
  await page.getByRole('button', { name: 'Passkey hinzufügen' }).click()
  await page.getByText('Passkey laptop').waitFor()
  await browser.context.clearCookies()
}

const call = (token: string, method: string, path: string, body?: string) =>
  oauth.protectedResourceRequest(
    ...([token, method, new URL(path, service.baseUrl)] as const),
    new Headers(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...([body, http] as const),
  )

/** A post of the school. @returns its path */
async function addPost(token: string): Promise<string> {
  const body = JSON.stringify({ title: 'Term dates', body: 'The term begins on Monday.' })
  const added = await call(token, 'POST', '/api/posts', body)
  expect(await added.clone().text()).toContain('Term dates')
  return added.headers.get('location') ?? ''
}

/** The parameters of the challenge to this request. */
async function challengeTo(request: Promise<Response>) {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw new Error('There is no challenge')
  return { status: error.status, parameters: error.cause[0]?.parameters ?? {} }
}

it('removes a post after a step-up from a password to a passkey, as the challenge demands', async () => {
  await addPasskey()
  const editor = await register()
  const weak = await tokenOf(editor, {}, byPassword)
  const post = await addPost(weak)
  const { status, parameters } = await challengeTo(call(weak, 'DELETE', post))
  expect([status, parameters]).toEqual([
    401,
    expect.objectContaining({
      error: 'insufficient_user_authentication',
      acr_values: 'phr',
      max_age: '300',
      scope: 'posts:write',
    }),
  ])
  const { acr_values = '', max_age = '' } = parameters
  const strong = await tokenOf(editor, { acr_values, max_age }, async () => {
    const button = page.getByRole('button', { name: 'Mit Passkey anmelden' })
    await button.waitFor()
    expect(await page.locator('main').textContent()).toContain('Hier genügt ein Passwort nicht.')
    expect(await page.getByLabel('Passwort').count()).toBe(0)
    expect(await page.getByText('Dieser Browser bietet hier keine Passkeys an.').isVisible()).toBe(false)
    expect(await violations(page)).toEqual([])
    await button.click()
  })
  expect((await call(strong, 'DELETE', post)).status).toBe(204)
  const signIns = service.events.filter((event) => event.type === 'sign_in_succeeded')
  expect(signIns.at(-1)).toMatchObject({ signedInBy: 'passkey', firstId: signIns.at(-2)?.sessionId })
})
