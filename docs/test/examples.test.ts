import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** What nobody calls, or what a test of its own describes. */
const NO_EXAMPLE = new Set(['@grantkit/testkit', '@grantkit/core/store-kit'])

const values = readFileSync(join(ROOT, 'scripts/surface.txt'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' '))
  .filter(([entry = '', kind]) => kind !== 'type' && !NO_EXAMPLE.has(entry))

describe('the reference has an example, which the test of code blocks compiles, of', () => {
  it.each(values)('%s: %s', (entry = '', name = '') => {
    const folder = entry.split('/').slice(1, 2).join()
    const comments = globSync(`packages/${folder}/src/**/*.ts`, { cwd: ROOT })
      .map((file) => commentOn(name, readFileSync(join(ROOT, file), 'utf8')))
      .join('\n')
    expect(comments).toMatch(new RegExp(`@example\\n[^]*\`\`\`ts[^]*\\b${name}\\b[^]*\`\`\``))
  })
})

/** The comment before the first declaration of an exported name. */
function commentOn(name: string, source: string): string | undefined {
  const declared = new RegExp(`^export (?:async )?(?:function|const|class) ${name}\\b`, 'm').exec(source)
  if (declared === null) return undefined
  const before = source.slice(0, declared.index)
  return before.endsWith('*/\n') ? before.slice(before.lastIndexOf('/**')) : ''
}
