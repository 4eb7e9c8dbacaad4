import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { type LoopbackApp, openLoopbackApp } from '@grantkit/test-servers/loopback-app'
import { type TestClient, testClient } from '@grantkit/testkit/client'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** A user in a browser, whose app signs them out (OpenID Connect RP-Initiated Logout 1.0). */

let server: RunningServer
let site: LoopbackApp
let browser: Browser
let page: Page
let app: TestClient
beforeAll(async () => {
  server = await runServer({ LOGOUT: 'on' })
  site = await openLoopbackApp()
  browser = await openChromium()
  const redirect_uris = [`${site.origin}/callback`]
  const metadata = { client_name: 'Timetable', redirect_uris, post_logout_redirect_uris: [back()] }
  app = await testClient(server.baseUrl, { metadata, browser: throughThePages })
})
afterAll(async () => {
  await browser.close()
  await site.close()
  await server.close()
})
beforeEach(async () => {
  await browser.context.clearCookies()
  page = await browser.context.newPage()
  complaints = []
  // Chromium reports a policy violation on its console alone.
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
})
afterEach(async () => {
  expect(complaints).toEqual([])
  await page.close()
})

let complaints: string[]
const back = () => `${site.origin}/signed-out`

async function throughThePages(authorizationUrl: string): Promise<URL> {
  await page.goto(authorizationUrl)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${site.origin}/**`)
  return new URL(page.url())
}

/** The ID token of a new sign-in in the browser. */
async function hint(): Promise<string> {
  return String((await app.tokens('openid')).id_token)
}

function endSession(parameters: Record<string, string>): Promise<unknown> {
  return page.goto(`${server.baseUrl}/oauth/logout?${new URLSearchParams(parameters)}`)
}

async function isSignedIn(): Promise<boolean> {
  await page.goto(`${server.baseUrl}/account`)
  return page.getByRole('heading', { name: 'Your account' }).isVisible()
}

describe('a request of the app', () => {
  it('with a hint signs out, and leads back to the app with its state', async () => {
    const id_token_hint = await hint()
    expect(await isSignedIn()).toBe(true)
    await endSession({ id_token_hint, post_logout_redirect_uri: back(), state: 'a b&c' })
    expect(page.url()).toBe(`${back()}?state=a+b%26c`)
    expect(await isSignedIn()).toBe(false)
  })

  it('in a form of the app does the same', async () => {
    const id_token_hint = await hint()
    await page.goto(site.origin)
    await page.setContent(`<form method="post" action="${server.baseUrl}/oauth/logout">
      <input name="id_token_hint" value="${id_token_hint}">
      <input name="post_logout_redirect_uri" value="${back()}"><button>Sign out</button></form>`)
    await page.getByRole('button').click()
    await page.waitForURL(back())
    expect(await isSignedIn()).toBe(false)
  })

  it('without a hint signs the user out only after confirmation, and then leads back with its state', async () => {
    await hint()
    const request = { client_id: app.clientId, post_logout_redirect_uri: back(), state: 's' }
    await endSession(request)
    expect(await page.locator('main').textContent()).toContain('Timetable asks to sign you out')
    await page.getByRole('link', { name: 'Stay signed in' }).click()
    expect(await isSignedIn()).toBe(true)
    await endSession(request)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${back()}?state=s`)
    expect(await isSignedIn()).toBe(false)
  })

  it('without a redirect URI ends on a page of the server, and does not revoke the grant of the app', async () => {
    const { id_token, access_token } = await app.tokens('openid')
    await endSession({ id_token_hint: String(id_token) })
    expect(await page.getByRole('heading').textContent()).toBe('You are signed out')
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await fetch(`${server.baseUrl}/api/oauth/userinfo`, { headers })).status).toBe(200)
  })
})
