/** The page of Inspector at the program of docs/how-to/mcp.md, with a user in a real browser. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { freePort } from '@grantkit/test-servers/free-port'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type NotesProgram, startNotes } from './notes-program.ts'

const PACKAGE = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')
const INSPECTOR = join(dirname(PACKAGE), 'clients/launcher/build/index.js')

let notes: NotesProgram
let chromium: Browser
beforeAll(async () => {
  notes = await startNotes('inspector-page')
  chromium = await openChromium()
  // It would load its font from far away.
  await chromium.context.route(isFarAway, (route) => route.abort())
})
afterAll(async () => {
  await chromium.close()
  await notes.close()
})

it.each(['legacy', 'modern'])(
  "Inspector's page signs in, and asks for more when a tool needs it, by the %s protocol",
  async (era) => {
    const page = await chromium.context.newPage()
    const asked: (string | null)[] = []
    page.on('framenavigated', (frame) => {
      const { pathname, searchParams } = new URL(frame.url())
      if (pathname === '/oauth/authorize') asked.push(searchParams.get('scope'))
    })
    await page.goto(await startInspector(era))
    await page.getByRole('switch', { name: 'Connect or disconnect' }).click({ force: true })
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('Tools', { exact: true }).click()

    await page.getByRole('button', { name: 'list_notes' }).click()
    await page.getByRole('button', { name: 'Execute Tool' }).click()
    await page.getByText('buy milk').waitFor()

    await page.getByRole('button', { name: 'add_note' }).click()
    await page.getByRole('textbox', { name: 'note' }).fill(`by the ${era} protocol`)
    await page.getByRole('button', { name: 'Execute Tool' }).click()
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('Retry your action').waitFor()
    await page.getByRole('button', { name: 'Execute Tool' }).click()
    await page.getByText('It is noted').waitFor()
    expect(asked).toEqual(['notes:read', 'notes:read notes:write'])
  },
  120_000,
)

/** @returns the address of its page, which knows the program */
async function startInspector(era: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-'))
  const options = [
    '--web',
    '--transport',
    'http',
    '--server-url',
    `${notes.origin}/mcp`,
    '--protocol-era',
    era,
  ]
  const ports = { CLIENT_PORT: `${await freePort()}`, MCP_SANDBOX_PORT: '0', MCP_APP_ORIGIN_PORT: '0' }
  const env = { HOME: folder, MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_SECRET_STORE: 'memory', ...ports }
  const program = spawn(process.execPath, [INSPECTOR, ...options], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    program.kill()
    if (program.exitCode === null) await once(program, 'exit')
    await rm(folder, { recursive: true, force: true })
  })
  for await (const line of createInterface(program.stdout)) {
    const [address] = /http\S+API_TOKEN\S+/.exec(line) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`Inspector ended with ${program.exitCode}`)
}

function isFarAway({ hostname, protocol }: URL): boolean {
  return protocol.startsWith('http') && hostname !== '127.0.0.1'
}
