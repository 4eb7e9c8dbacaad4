import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERDICTS } from '@grantkit/core/explain'
import { expect, it } from 'vitest'

const PAGE = readFileSync(join(import.meta.dirname, '../why.md'), 'utf8')

it('the table of common faults names verdicts that exist', () => {
  const [, faults = ''] = /^## Common faults\n([\s\S]*?)^## /m.exec(PAGE) ?? []
  const named = [...faults.matchAll(/(?<!doctor.*)`(\w+_\w+)`(?=[^|]*\|$)/gm)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !Object.hasOwn(VERDICTS, name ?? ''))).toEqual([])
})
