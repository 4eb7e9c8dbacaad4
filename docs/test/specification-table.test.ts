import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { specificationTable } from '../specification-table.ts'

it('the README of core says which file holds which section (if not: pnpm exec node docs/specification-table.ts)', async () => {
  const page = await readFile(new URL('../../packages/core/README.md', import.meta.url), 'utf8')
  expect(page).toContain(
    `<!-- specifications:start -->\n${specificationTable()}\n<!-- specifications:end -->`,
  )
})
