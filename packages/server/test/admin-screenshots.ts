/// <reference lib="dom" />
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { keySetText } from '../src/config/signing-keys-file.ts'
import { addStatistics, addTrail, agedKeys } from './day-of-events.ts'
import { runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/**
 * `pnpm --filter @grantkit/server screenshots [--all --folder <folder>]` takes pictures of the admin pages with a month of
 * events, for the documentation; with --all of every page and width.
 */

const { values } = parseArgs({
  options: { all: { type: 'boolean', default: false }, folder: { type: 'string' } },
})

const FOLDER = values.folder ?? fileURLToPath(new URL('../../../docs/screenshots', import.meta.url))
const PEOPLE = [
  'Ada Lovelace',
  'Alan Turing',
  'Grace Hopper',
  'Katherine Johnson',
  'Edsger Dijkstra',
  'Barbara Liskov',
]
const APPS = ['Course browser', 'Progress reports', 'School on the command line', 'Calendar']
const WIDTHS = values.all ? [1280, 768, 390] : [1280, 390]

/** The example service is the one of the documentation. */
const LOGO = new URL('../../../apps/reference/src/home/icon.svg', import.meta.url)

const now = Date.now()
const KEYS_FILE = join(tmpdir(), `admin-screenshots-${process.pid}.json`)
await writeFile(KEYS_FILE, keySetText(await agedKeys(now)), { mode: 0o600 })
const server = await runServer(
  { KEYS_FILE },
  {
    brand: { name: 'Harbour School', accent: '#0f5e59', logo: LOGO },
    scopes: {
      openid: { description: 'Confirm who you are' },
      'courses:read': { description: 'See courses' },
    },
  },
)
const ids = await addPeopleAndApps()
await addStatistics(server.database, now)
await addTrail(server.database, ids, now)

const browser = await openChromium()
await mkdir(FOLDER, { recursive: true })
for (const width of WIDTHS)
  for (const colorScheme of ['light', 'dark'] as const)
    if (values.all || width === 1280 || colorScheme === 'light') await photograph(width, colorScheme)
await browser.close()
await server.close()

async function addPeopleAndApps() {
  for (const name of PEOPLE) {
    const [first = '', last = ''] = name.toLowerCase().split(' ')
    await server.accounts.add({
      ...{ id: `${first}-${last}`, email: `${first}@school.example`, email_verified: true, name },
      ...{ password: '', updated_at: Math.floor(now / 1000) },
    } as never)
  }
  await server.accounts.setAdmin('demo-account', true)
  const clients: string[] = []
  for (const name of APPS)
    clients.push(
      (await signedIn(server.baseUrl, 'openid courses:read', undefined, 'teacher', name)).client_id,
    )
  const users = PEOPLE.map((name) => name.toLowerCase().replace(' ', '-'))
  return { users: [...users, 'teacher-account'], clients }
}

async function photograph(width: number, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await browser.context.newPage()
  await browser.context.clearCookies()
  await page.setViewportSize({ width, height: 800 })
  await page.emulateMedia({ colorScheme })
  await page.goto(`${server.baseUrl}/admin`)
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  const pages = { overview: '', trail: '/trail' }
  const more = {
    users: '/users',
    clients: '/clients',
    user: '/user?id=teacher-account',
    client: `/client?id=${ids.clients[0]}`,
    'overview-hour': '?range=1h',
    'overview-month': '?range=30d',
  }
  for (const [name, path] of Object.entries(values.all ? { ...pages, ...more } : pages))
    await shoot(page, path, `${FOLDER}/admin-${name}-${width}-${colorScheme}.png`)
  await page.close()
}

async function shoot(page: Page, path: string, file: string): Promise<void> {
  await page.goto(`${server.baseUrl}/admin${path}`)
  // A long list shows the same again.
  await page.screenshot({
    path: file,
    fullPage: values.all || (path === '' && page.viewportSize()?.width === 1280),
  })
}
