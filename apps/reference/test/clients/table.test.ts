import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PAGES, sectionsOf } from './sections.ts'

const TABLE = readFileSync(new URL('../../../../docs/clients/libraries.md', import.meta.url), 'utf8')

it.each(PAGES)('the table of client libraries has the versions that %s.md names', (page) => {
  for (const { library, text } of sectionsOf(page)) {
    const row = TABLE.split('\n').find((line) => line.startsWith(`| [${library}](${page}.md#`)) ?? ''
    const [, version = 'a version in the table'] = /\| ([\d.]+) \|/.exec(row) ?? []
    expect(text, library).toContain(version)
  }
})
