import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { errorTable } from '../error-table.ts'

it('the page of refusals has every refusal that core has (if not: pnpm exec node docs/error-table.ts)', async () => {
  const page = await readFile(new URL('../errors.md', import.meta.url), 'utf8')
  expect(page).toContain(`<!-- refusals:start -->\n${errorTable()}\n<!-- refusals:end -->`)
})
