/// <reference lib="dom" />
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keySetText } from '@grantkit/server/internal/config/signing-keys-file'
import { openDatabase } from '@grantkit/server/internal/database/database'
import { openChromium } from '@grantkit/test-servers/chromium'
import type { Page } from 'playwright-core'
import { readCommandLine } from '../src/commands/command-line.ts'
import { addStatistics, addTrail, agedKeys } from './day-of-events.ts'
import { newStorage } from './new-storage.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

const { values } = readCommandLine(
  `pnpm --filter @grantkit/reference screenshots:admin [--all --folder <folder>]

Takes pictures of the admin pages with a month of events, for the documentation; with --all of every page and width.`,
  { options: { all: { type: 'boolean', default: false }, folder: { type: 'string' } } },
)

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

const now = Date.now()
const { environment, close } = await newStorage('sqlite')
const KEYS_FILE = join(tmpdir(), `admin-screenshots-${process.pid}.json`)
await writeFile(KEYS_FILE, keySetText(await agedKeys(now)), { mode: 0o600 })
const service = await runService({ ...environment, KEYS_FILE })
const ids = await addPeopleAndApps()
const database = await openDatabase(environment.DATABASE_URL, () => {})
await addStatistics(database, now)
await addTrail(database, ids, now)
await database.destroy()

const browser = await openChromium()
await mkdir(FOLDER, { recursive: true })
for (const width of WIDTHS)
  for (const colorScheme of ['light', 'dark'] as const)
    if (values.all || width === 1280 || colorScheme === 'light') await photograph(width, colorScheme)
await browser.close()
await service.close()
await close()

async function addPeopleAndApps() {
  for (const name of PEOPLE) {
    const [first = '', last = ''] = name.toLowerCase().split(' ')
    await service.accounts.add({
      ...{ id: `${first}-${last}`, email: `${first}@school.example`, email_verified: true, name },
      ...{ password: '', updated_at: Math.floor(now / 1000) },
    } as never)
  }
  await service.accounts.setAdmin('demo-account', true)
  const clients: string[] = []
  for (const name of APPS)
    clients.push(
      (await signedIn(service.baseUrl, 'openid courses:read', undefined, 'teacher', name)).client_id,
    )
  const users = PEOPLE.map((name) => name.toLowerCase().replace(' ', '-'))
  return { users: [...users, 'teacher-account'], clients }
}

async function photograph(width: number, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await browser.context.newPage()
  await browser.context.clearCookies()
  await page.setViewportSize({ width, height: 800 })
  await page.emulateMedia({ colorScheme })
  await page.goto(`${service.baseUrl}/admin`)
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
  await page.goto(`${service.baseUrl}/admin${path}`)
  // A long list shows the same again.
  await page.screenshot({
    path: file,
    fullPage: values.all || (path === '' && page.viewportSize()?.width === 1280),
  })
}
