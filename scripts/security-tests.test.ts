import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PAGE, pageWithRows, securityRows } from './security-tests.ts'

it('the page of the security tests has every row that a test proves; if not, run node scripts/security-tests.ts', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toBe(pageWithRows(page))
})

it.each([
  ['REQ', 80],
  ['D', 16],
])('every row from %s 1 to %i has a test', (group, last) => {
  const proven = new Set(securityRows().map(({ id }) => id))
  const name = (n: number) => (group === 'D' ? `D${n}` : `REQ-${String(n).padStart(2, '0')}`)
  const missing = Array.from({ length: last }, (_, index) => name(index + 1)).filter((id) => !proven.has(id))
  expect(missing).toEqual([])
})
