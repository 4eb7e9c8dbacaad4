import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { expectOnEveryScreen, expectToFit } from '@grantkit/test-servers/screens'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DANA } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** The operator's view in a browser without JavaScript, as an operator uses it. */

const scopes = {
  openid: { description: 'Know who you are' },
  profile: { description: 'See your profile' },
  'notes:read': { description: 'Read your notes' },
  'orders:read': { description: 'See the orders' },
}
let server: RunningServer
let browser: Browser
let scriptsInTokyo: Browser
beforeAll(async () => {
  server = await runServer({}, { scopes })
  await server.accounts.setAdmin(DANA.id, true)
  browser = await openChromium({ javaScriptEnabled: false })
  scriptsInTokyo = await openChromium({ timezoneId: 'Asia/Tokyo' })
})
afterAll(async () => {
  await scriptsInTokyo.close()
  await browser.close()
  await server.close()
})

async function openAdmin(at: Browser = browser): Promise<Page> {
  await at.context.clearCookies()
  const page = await at.context.newPage()
  await page.goto(`${server.baseUrl}/admin`)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

const title = async (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

describe("the operator's view", () => {
  it('leads from a search to a user, ends a grant, disables and enables', async () => {
    const scope = 'openid notes:read'
    for (const name of ['One', 'Two']) await signedIn(server.baseUrl, scope, undefined, 'teacher', name)
    const page = await openAdmin()
    expect(await title(page)).toBe('Overview')
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByLabel('E-mail address').fill('TEACH')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'teacher@example.com' }).click()
    expect(await title(page)).toBe('teacher@example.com')
    await page.getByRole('button', { name: 'End the grant of One' }).click()
    const grants = page.getByRole('table', { name: 'Grants' }).getByRole('row')
    expect(await grants.allTextContents()).toEqual([
      expect.stringContaining('App'),
      expect.stringContaining('Two'),
    ])
    await page.getByRole('button', { name: 'Disable' }).click()
    expect(await page.getByRole('region', { name: 'Account' }).textContent()).toContain('disabled')
    expect(await grants.count()).toBe(0)
    await page.getByRole('button', { name: 'Enable' }).click()
    expect(await page.getByRole('region', { name: 'Account' }).textContent()).toContain('active')
    await page.close()
  })

  it('finds a client by its id, removes it, and shows who did it', async () => {
    const { client_id } = await signedIn(server.baseUrl, 'notes:read')
    const page = await openAdmin()
    await page.getByRole('link', { name: 'Clients' }).click()
    await page.getByLabel('Client id').fill(client_id)
    await page.getByRole('button', { name: 'Show' }).click()
    expect(await title(page)).toBe('A tool')
    const remove = page.getByRole('button', { name: 'Remove' })
    expect(await remove.count(), 'buttons before the question').toBe(0)
    await page.getByText('Remove this client').click()
    await remove.click()
    expect(await title(page)).toBe('Unknown client')
    expect(await page.getByRole('status').textContent()).toBe('The client is removed.')
    await page.getByRole('link', { name: 'All entries of this client' }).click()
    await page.getByLabel('What').selectOption({ label: 'A client was removed' })
    await page.getByRole('button', { name: 'Show' }).click()
    const [entry, ...others] = await page.getByRole('main').locator('tbody tr').allTextContents()
    expect([entry, others]).toEqual([expect.stringContaining('demo@example.com'), []])
    await page.close()
  })

  it('shows where the operator is and who is signed in, and signs out', async () => {
    const page = await openAdmin()
    const here = page.getByRole('navigation', { name: "Operator's view" }).locator('[aria-current]')
    expect([await here.textContent(), await here.getAttribute('aria-current')]).toEqual(['Overview', 'page'])
    await page.goto(`${server.baseUrl}/admin/user?id=teacher-account`)
    expect([await here.textContent(), await here.getAttribute('aria-current')]).toEqual(['Users', 'true'])
    expect(await page.getByRole('link', { name: 'Signed in as demo@example.com' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(`${server.baseUrl}/admin`)
    expect(new URL(page.url()).pathname).toBe('/login')
    await page.close()
  })

  it('has charts of what happened a moment ago, with their figures in a table', async () => {
    await fetch(`${server.baseUrl}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'x' }),
    })
    const page = await openAdmin()
    for (const range of ['Last hour', '24 hours', '7 days', '30 days']) {
      await page.getByRole('link', { name: range, exact: true }).click()
      expect(
        await page.getByRole('img', { name: 'Sign-ins' }).locator('rect').count(),
        range,
      ).toBeGreaterThan(0)
      const refused = page.getByRole('figure', { name: 'Refused requests by reason' })
      expect(await refused.getByRole('listitem').first().textContent()).toContain('client_id is missing 1')
      await refused.getByText('Figures').click()
      expect(await refused.getByRole('table').getByRole('row').count()).toBe(2)
      await page.getByText('Endpoints', { exact: true }).click()
      const endpoints = await page
        .getByRole('table', { name: 'Endpoints' })
        .getByRole('row')
        .allTextContents()
      expect(endpoints.join()).toContain('POST /api/oauth/token')
    }
    expect(await page.getByRole('img', { name: 'Signing keys by age in days' }).count()).toBe(1)
    await page.close()
  })

  it('has times in the time zone of the browser, and without a script in UTC', async () => {
    const page = await openAdmin()
    await page.goto(`${server.baseUrl}/admin/trail`)
    expect(await page.getByRole('cell').locator('time').first().textContent()).toMatch(/UTC$/)
    expect(await page.getByText('Times are in UTC.').count()).toBe(1)
    await page.close()
    const scripted = await openAdmin(scriptsInTokyo)
    const time = scripted.locator('time').first()
    const at = Date.parse((await time.getAttribute('datetime')) ?? '')
    const shown = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Asia/Tokyo',
    })
    await scripted.getByText('time zone of this browser, Asia/Tokyo').waitFor()
    expect(await time.textContent()).toBe(shown.format(at))
    await scripted.close()
  })
})

describe('every page of it', () => {
  it('passes axe, and fits every screen', async () => {
    const app = await signedIn(server.baseUrl, 'openid profile notes:read orders:read', undefined, 'teacher')
    await server.clients.add({ clientName: 'Zap', redirectUris: ['https://zap.example/a/long/callback'] })
    const page = await openAdmin(scriptsInTokyo)
    for (const path of [
      '',
      '/users',
      '/user?id=teacher-account',
      '/user?id=unknown',
      '/clients',
      `/client?id=${app.client_id}`,
      '/client?id=unknown',
      '/trail',
      '/trail?type=left_out',
    ]) {
      await page.goto(`${server.baseUrl}/admin${path}`)
      await expectOnEveryScreen(page)
    }
    for (const range of ['1h', '30d']) {
      await page.goto(`${server.baseUrl}/admin?range=${range}`)
      await expectToFit(page)
    }
    await page.close()
  })

  it('leaves room for values next to long labels on a phone, and no link of a bar alone in its row', async () => {
    const { client_id } = await signedIn(server.baseUrl, 'notes:read')
    const query = new URLSearchParams({ client_id, redirect_uri: 'https://elsewhere.example/callback' })
    const refused = await (await fetch(`${server.baseUrl}/oauth/authorize?${query}`)).text()
    const page = await openAdmin()
    await page.setViewportSize({ width: 390, height: 800 })
    const rowsOf = async (name: string) => {
      const links = await page.getByRole('navigation', { name }).getByRole('link').all()
      const tops = await Promise.all(links.map(async (link) => (await link.boundingBox())?.y))
      return Object.values(Object.groupBy(tops, String)).map((row) => row?.length)
    }
    expect(await rowsOf("Operator's view")).toEqual([3, 2])
    expect(await rowsOf('Time of the charts')).toEqual([4])
    await page.goto(`${server.baseUrl}/admin/why/${/[\dA-Z]{4}-[\dA-Z]{4}/.exec(refused)?.[0]}`)
    for (const details of await page.locator('summary').all()) await details.click()
    for (const value of await page.locator('dd:visible').all())
      expect((await value.boundingBox())?.width).toBeGreaterThan(100)
    await page.close()
  })
})
