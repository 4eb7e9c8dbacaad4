import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { runServer } from './running-server.ts'

/** Browsers hold the whole way from the consent form to a client against `form-action`: each redirect target must be in it. */

const server = await runServer({ KNOWN_CLIENTS: 'on' })
const browser = await openChromium()
afterAll(async () => {
  await browser.close()
  await server.close()
})
afterEach(() => void vi.useRealTimers())

const redirectUriOf = (name: string) => KNOWN_CLIENTS.find(({ id }) => id === name)?.redirectUris[0] ?? ''
/** What the callback of Claude on the web redirects to. */
const CLAUDE_APP = 'claude://claude.ai/settings/connectors'

/** Its redirect URI, where its user arrives, and the source that the page must name. */
const WEB_CLIENTS = [
  {
    client: 'a web client',
    ...{ redirectUri: redirectUriOf('perplexity'), target: redirectUriOf('perplexity') },
    source: 'https://www.perplexity.ai',
  },
  {
    client: 'a web client that opens its app',
    ...{ redirectUri: redirectUriOf('claude'), target: CLAUDE_APP },
    source: 'claude:',
  },
]
/** Gets its answer from a page, so a consent page without this source does not block it. */
const APP = { redirectUri: redirectUriOf('cursor'), source: 'cursor:' }

it.each(WEB_CLIENTS)('the user of $client arrives there', async ({ redirectUri, target }) => {
  const page = await openPage()
  const complaints = complaintsOf(page)
  await askForConsent(page, redirectUri)
  const arrived = page.waitForRequest((request) => request.url().startsWith(target))
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await arrived
  expect(complaints).toEqual([])
  await page.close()
})

it.each(WEB_CLIENTS)(
  'a page without $source keeps the user of $client, and the verdict names that',
  async ({ redirectUri, target, source }) => {
    const page = await openPage(source)
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await askForConsent(page, redirectUri)
    const reference = await page
      .locator('code')
      .filter({ hasText: /^\w{4}-\w{4}/ })
      .textContent()
    const complaint = page.waitForEvent('console', (message) => message.text().includes('form-action'))
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await complaint
    expect(requested.filter((url) => url.startsWith(target))).toEqual([])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    const attempt = await server.attempts.find(reference ?? '')
    expect(attempt?.verdict).toMatchObject({
      id: 'code_not_redeemed',
      fix: expect.stringContaining('its `form-action` must name `formActionSources`'),
      doctorCheck: 'form-action',
    })
    await page.close()
  },
)

it.each([
  ['Allow', 'You allowed access.', 'code'],
  ['Deny', 'The app did not get access.', 'error'],
])('a page opens the app after %s, stays there, and has a link', async (button, text, parameter) => {
  const { redirectUri, source } = APP
  const page = await openPage(source)
  const complaints = complaintsOf(page)
  await askForConsent(page, redirectUri)
  const navigation = page.waitForRequest((request) => request.url().startsWith(redirectUri))
  await page.getByRole('button', { name: button, exact: true }).click()
  const opened = (await navigation).url()
  expect(new URL(opened).searchParams.has(parameter)).toBe(true)
  await page.getByText(text).waitFor()
  const link = page.getByRole('link', { name: 'Open the app' })
  expect(await link.getAttribute('href')).toBe(opened)
  const byClick = page.waitForRequest((request) => request.url() === opened)
  await link.click()
  await byClick
  expect(complaints).toEqual([])
  await page.close()
})

/** @param without a source that the page of an operator could lack */
async function openPage(without?: string): Promise<Page> {
  await browser.context.clearCookies()
  const page = await browser.context.newPage()
  const devTools = await browser.context.newCDPSession(page)
  await devTools.send('Fetch.enable', {
    patterns: [
      { urlPattern: 'https://*' },
      { urlPattern: `${server.baseUrl}/oauth/authorize*`, requestStage: 'Response' },
    ],
  })
  devTools.on('Fetch.requestPaused', async ({ requestId, request, responseStatusCode, responseHeaders }) => {
    if (responseStatusCode === undefined)
      return devTools.send('Fetch.fulfillRequest', { requestId, ...answerOfClient(request.url) })
    if (responseStatusCode !== 200) return devTools.send('Fetch.continueRequest', { requestId })
    const { body } = await devTools.send('Fetch.getResponseBody', { requestId })
    const headers = responseHeaders?.map(({ name, value }) => ({ name, value: lacking(value, without) }))
    const answer = { responseCode: 200, responseHeaders: headers ?? [], body }
    return devTools.send('Fetch.fulfillRequest', { requestId, ...answer })
  })
  return page
}

/** The hosts of the clients are far away. */
function answerOfClient(url: string) {
  return url.startsWith(redirectUriOf('claude'))
    ? { responseCode: 307, responseHeaders: [{ name: 'location', value: CLAUDE_APP }] }
    : { responseCode: 204 }
}

function lacking(value: string, source: string | undefined): string {
  return source === undefined ? value : value.replace(` ${source};`, ';')
}

async function askForConsent(page: Page, redirectUri: string): Promise<void> {
  const registration = await fetch(`${server.baseUrl}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }),
  })
  const { client_id } = (await registration.json()) as { client_id: string }
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri,
    scope: 'notes:read',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  await page.goto(`${server.baseUrl}/oauth/authorize?${new URLSearchParams(query)}`)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** @returns what Chromium complains about on its console, from now on */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => void complaints.push(message.text()))
  return complaints
}
