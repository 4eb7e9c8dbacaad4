/// <reference lib="dom" />
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { type LoopbackApp, openLoopbackApp } from '@grantkit/test-servers/loopback-app'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'

/** A single-page app on another origin, so that CORS applies. */

let service: RunningService
let app: LoopbackApp
let browser: Browser
beforeAll(async () => {
  const bundle = createRequire(import.meta.url)
    .resolve('oidc-client-ts')
    .replace(/dist\/.*$/, 'dist/browser/oidc-client-ts.min.js')
  const page = { type: 'text/html', body: '<title>App</title><script src="/oidc-client-ts.js"></script>' }
  service = await runService()
  app = await openLoopbackApp({
    '/': page,
    '/callback': page,
    '/oidc-client-ts.js': { type: 'text/javascript', body: await readFile(bundle, 'utf8') },
  })
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await app.close()
  await service.close()
})

/** Runs in the page. */
async function register(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Single-page app', redirect_uris: [`${location.origin}/callback`] }),
  })
  return ((await response.json()) as { client_id: string }).client_id
}

/** Runs in the page. */
async function manage({
  step,
  authority,
  client_id,
}: {
  step: string
  authority: string
  client_id: string
}) {
  const { UserManager } = Reflect.get(globalThis, 'oidc') as typeof import('oidc-client-ts')
  const redirect_uri = `${location.origin}/callback`
  const scope = 'openid profile courses:read'
  const manager = new UserManager({
    authority,
    client_id,
    redirect_uri,
    scope,
    loadUserInfo: true,
    automaticSilentRenew: false,
  })
  // The page is left before this would resolve.
  if (step === 'leave') return void manager.signinRedirect()
  const user = await manager.signinRedirectCallback()
  const renewed = await manager.signinSilent()
  const call = () =>
    fetch(`${authority}/api/courses`, { headers: { authorization: `Bearer ${renewed?.access_token}` } })
  const courses = await (await call()).json()
  await manager.revokeTokens(['refresh_token'])
  const revoked = await call()
  const challenge = revoked.headers.get('www-authenticate')
  return {
    profile: user.profile,
    rotated: renewed?.refresh_token !== user.refresh_token,
    courses,
    status: revoked.status,
    challenge,
  }
}

async function allow(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${app.origin}/callback?**`)
}

describe('oidc-client-ts in a browser', () => {
  it('registers, signs in, calls the API, renews and revokes from another origin', async () => {
    const page = await browser.context.newPage()
    await page.goto(`${app.origin}/`)
    const client_id = await page.evaluate(register, service.baseUrl)
    const settings = { authority: service.baseUrl, client_id }
    await Promise.all([
      page.waitForURL(`${service.baseUrl}/login**`),
      page.evaluate(manage, { step: 'leave', ...settings }),
    ])
    await allow(page)
    expect(await page.evaluate(manage, { step: 'return', ...settings })).toMatchObject({
      profile: { sub: 'demo-account', name: 'Dana Moore' },
      rotated: true,
      courses: { total: 6 },
      status: 401,
      challenge: expect.stringContaining('resource_metadata='),
    })
  })
})
