/** The program of docs/migrate/mcp-sdk.md, as it is, with the official client by both protocols. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { formBrowser } from '@grantkit/testkit/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeBlocks, extract, folderOf } from './code-blocks.ts'
import { SIGNING_IN } from './mcp-clients.ts'

const PAGE = 'docs/migrate/mcp-sdk.md'
const FOLDER = join(import.meta.dirname, '../.code-blocks/mcp-migration')

let server: Server
let origin: string
beforeAll(async () => {
  extract(
    codeBlocks().filter(({ page }) => page === PAGE),
    FOLDER,
  )
  let app: RequestListener
  server = createServer((request, response) => app(request, response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  process.env.ISSUER = origin
  app = (await import(join(FOLDER, folderOf(PAGE), 'notes.ts'))).app
  delete process.env.ISSUER
})
afterAll(() => new Promise((closed) => server.close(closed)))

const SDK = Object.entries(SIGNING_IN).filter(([name]) => name.startsWith('the official SDK'))

it.each(SDK)('%s signs in, and its tool knows whose it is', async (_, open) => {
  const browser = formBrowser({ origin, typed: { password: '' } })
  const client = await open(new URL('/mcp', origin), browser, '')
  expect(await client.call('list_notes')).toMatch(/^(?!undefined).+: buy milk$/)
  await client.close()
})
