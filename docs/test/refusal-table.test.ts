import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { refusalTable } from '../refusal-table.ts'

it('the page of refusals has every refusal that core has (if not: pnpm exec node docs/refusal-table.ts)', async () => {
  const page = await readFile(new URL('../refusals.md', import.meta.url), 'utf8')
  expect(page).toContain(`<!-- refusals:start -->\n${refusalTable()}\n<!-- refusals:end -->`)
})
