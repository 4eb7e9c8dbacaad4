import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { clientTable } from '../client-table.ts'

it('the page of MCP clients has every client of the test kit (if not: pnpm exec node docs/client-table.ts)', async () => {
  const page = await readFile(new URL('../clients.md', import.meta.url), 'utf8')
  expect(page).toContain(`<!-- clients:start -->\n${clientTable()}\n<!-- clients:end -->`)
})
