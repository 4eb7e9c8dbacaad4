/** The program of docs/how-to/mcp.md, as it is, with the clients that people use. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formBrowser } from '@grantkit/testkit/client'
import { type ServerType, serve } from '@hono/node-server'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { codeBlocks, extract, folderOf } from './code-blocks.ts'
import { type NotesClient, type OpenClient, SIGNING_IN, STEPPING_UP } from './mcp-clients.ts'

const PAGE = 'docs/how-to/mcp.md'
const FOLDER = join(import.meta.dirname, '../.code-blocks/mcp')

let server: ServerType
let origin: string
beforeAll(async () => {
  extract(
    codeBlocks().filter(({ page }) => page === PAGE),
    FOLDER,
  )
  let app: { fetch(request: Request): Response | Promise<Response> }
  const port = await new Promise<number>((listening) => {
    const fetch = (request: Request) => app.fetch(request)
    server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, (address) => listening(address.port))
  })
  origin = `http://127.0.0.1:${port}`
  process.env.ISSUER = origin
  app = (await import(join(FOLDER, folderOf(PAGE), 'notes.ts'))).app
  delete process.env.ISSUER
})
afterAll(() => new Promise((closed) => server.close(closed)))

/** A client at the program, and the scopes that its user was asked for. */
async function openAt(open: OpenClient): Promise<{ client: NotesClient; asked: (string | null)[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const asked: (string | null)[] = []
  const browser = formBrowser({ origin, typed: { password: '' } })
  const noticed = (address: string) => {
    asked.push(new URL(address).searchParams.get('scope'))
    return browser(address)
  }
  const client = await open(new URL('/mcp', origin), noticed, folder)
  onTestFinished(async () => void (await client.close()))
  return { client, asked }
}

it.each(Object.entries(SIGNING_IN))('%s signs in for no more than it needs, and reads', async (_, open) => {
  const { client, asked } = await openAt(open)
  expect(await client.call('list_notes')).toContain('buy milk')
  // Inspector names no scope, and gets the default.
  expect([['notes:read'], [null]]).toContainEqual(asked)
})

it.each(Object.entries(STEPPING_UP))('%s asks for more when a tool needs it', async (name, open) => {
  const { client, asked } = await openAt(open)
  expect(await client.call('add_note', { note: name })).toBe('It is noted')
  expect(await client.call('list_notes')).toContain(name)
  expect(asked).toEqual(['notes:read', 'notes:read notes:write'])
})
