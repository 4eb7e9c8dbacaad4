/// <reference lib="dom" />
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { runPostingApp } from './posting-app.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** Chromium posts the answer to an app at 127.0.0.1, which is another site than localhost. */

async function opened(server: RunningServer, javaScriptEnabled = true) {
  onTestFinished(() => server.close())
  const browser = await openChromium({ javaScriptEnabled, ignoreHTTPSErrors: true })
  onTestFinished(() => browser.close())
  const page = await browser.context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => void complaints.push(message.text()))
  return { page, complaints }
}

async function openedWithApp(javaScriptEnabled = true) {
  const server = await runServer((port) => ({ FORM_POST: 'on', BASE_URL: `http://localhost:${port}` }))
  const app = await runPostingApp(server)
  onTestFinished(() => app.close())
  return { app, ...(await opened(server, javaScriptEnabled)) }
}

async function allow(page: Page, start: string): Promise<void> {
  await page.goto(start)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
}

it.each([true, false])(
  'an app gets its code, and no address has it; scripts: %s',
  async (javaScriptEnabled) => {
    const { app, page, complaints } = await openedWithApp(javaScriptEnabled)
    const addresses: string[] = []
    page.on('request', (sent) => void addresses.push(sent.url()))
    await allow(page, `${app.baseURL}/login`)
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${app.baseURL}/`)
    expect(addresses.filter((address) => address.includes('gkc_'))).toEqual([])
    expect(complaints).toEqual([])
    expect(app.posts).toMatchObject([{ origin: expect.stringMatching(/^http:\/\/localhost:/) }])
    await page.goto(`${app.baseURL}/me`)
    expect(await page.locator('body').textContent()).toBe('{"sub":"demo-account"}')
  },
)

it('of the cookies of the app only those with SameSite=None come with the post', async () => {
  const { app, page } = await openedWithApp()
  await allow(page, `${app.baseURL}/login`)
  await page.waitForURL(`${app.baseURL}/`)
  expect(app.posts[0]?.cookies).toContain('auth_verification')
  expect(app.posts[0]?.cookies).not.toContain('lax')
})

it('the page is no step of the history, so that nothing is posted twice', async () => {
  const { app, page } = await openedWithApp()
  await allow(page, `${app.baseURL}/login`)
  await page.waitForURL(`${app.baseURL}/`)
  await page.goBack()
  expect(page.url()).toContain('/oauth/authorize')
  expect(app.posts).toHaveLength(1)
})

it('a callback that redirects to another origin is blocked by the policy of the page', async () => {
  const { app, page, complaints } = await openedWithApp()
  const elsewhere = app.baseURL.replace('127.0.0.1', 'localhost')
  await page.route(`${app.baseURL}/callback`, (route) =>
    route.fulfill({ status: 302, headers: { location: elsewhere } }),
  )
  const blocked = page.waitForEvent('console', (message) => message.text().includes('form-action'))
  await allow(page, `${app.baseURL}/login`)
  await blocked
  expect(complaints).toHaveLength(1)
  expect(page.url()).not.toContain(elsewhere)
})

it('a page of https posts to a loopback address, without a question', async () => {
  const tls = await openTls()
  const server = await runServer((port) => {
    tls.leadTo(port)
    return { FORM_POST: 'on', BASE_URL: tls.origin, TRUST_PROXY: 'loopback' }
  })
  const { page, complaints } = await opened(server)
  const posts: { origin: string | undefined; body: URLSearchParams }[] = []
  const app = await listening(
    createServer(async (incoming, outgoing) => {
      if (incoming.method === 'POST')
        posts.push({ origin: incoming.headers.origin, body: new URLSearchParams(await text(incoming)) })
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Arrived</h1>')
    }),
  )
  const redirect_uri = `http://127.0.0.1:${app}/callback`
  const { clientId: client_id } = await server.clients.add({
    ...{ clientName: 'Editor', redirectUris: [redirect_uri], tokenEndpointAuthMethod: 'none' },
  })
  const query = {
    ...{ client_id, redirect_uri, response_type: 'code', response_mode: 'form_post', scope: 'openid' },
    ...{ state: 'ü"&', code_challenge_method: 'S256' },
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  }
  await allow(page, `${tls.origin}/oauth/authorize?${new URLSearchParams(query)}`)
  await page.getByText('Arrived').waitFor()
  expect(posts.map(({ body }) => Object.fromEntries(body))).toEqual([
    { code: expect.stringMatching(/^gkc_/), state: 'ü"&', iss: tls.origin },
  ])
  expect(posts[0]?.origin).toBe('null')
  expect(complaints).toEqual([])
})

/** The https side of a server. */
async function openTls() {
  let target = 0
  const port = await listening(
    createTlsServer(certificateAuthority().issue('localhost'), (incoming, outgoing) => {
      const { method, url, headers } = incoming
      const onward = { host: '127.0.0.1', port: target, method, path: url }
      const sent = request({ ...onward, headers: { ...headers, 'x-forwarded-proto': 'https' } }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      incoming.pipe(sent)
    }),
  )
  const leadTo = (port: number) => {
    target = port
  }
  return { origin: `https://localhost:${port}`, leadTo }
}

/** @returns its port at 127.0.0.1 */
async function listening(server: Server & { closeAllConnections(): void }): Promise<number> {
  server.listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
