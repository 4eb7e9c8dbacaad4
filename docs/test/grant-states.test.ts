import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { grantStates } from '../grant-states.ts'

it('the page of concepts draws the states that the rules have (if not: pnpm exec node docs/grant-states.ts)', async () => {
  const page = await readFile(new URL('../concepts.md', import.meta.url), 'utf8')
  expect(page).toContain(`<!-- grant-states:start -->\n${grantStates()}\n<!-- grant-states:end -->`)
})
