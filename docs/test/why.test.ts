import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERDICTS } from '@grantkit/explain'
import { expect, it } from 'vitest'

const PAGE = readFileSync(join(import.meta.dirname, '../troubleshooting.md'), 'utf8')
const [faults = ''] = PAGE.split('\n## Frequent questions\n')
const sections = faults.split('\n### ').slice(1)

it('each common fault has a symptom, a cause and a fix', () => {
  expect(sections).toHaveLength(27)
  for (const section of sections)
    expect(section).toMatch(/^\*\*Symptom\*\*[\s\S]+^\*\*Cause\*\*[\s\S]+^\*\*Fix\*\*/m)
})

it('the common faults name verdicts that exist', () => {
  const named = [...faults.matchAll(/\]\((?:errors|why)\.md#(\w+)\)/g)].map(([, name]) => name ?? '')
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !Object.hasOwn(VERDICTS, name))).toEqual([])
})
