import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const NAMES = Object.keys(scripts)

/** What the documentation wants of pnpm itself. */
const OF_PNPM = ['exec', 'install']

const PAGES = globSync(['*.md', '{docs,packages,apps,examples,benchmarks}/**/*.md'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
})

describe('`pnpm <name>`', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grantkit-script-names-'))
  beforeAll(() => {
    const echoes = Object.fromEntries(NAMES.map((name) => [name, `echo the script ${name}`]))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, scripts: echoes }))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(NAMES)('runs the script %s, not a command that pnpm has by that name', (name) => {
    expect(execFileSync('pnpm', [name], { cwd: folder, encoding: 'utf8' })).toContain(`the script ${name}\n`)
  })
})

describe('the documentation', () => {
  it.each(PAGES)('names only scripts that exist: %s', (page) => {
    const known = [...NAMES, ...OF_PNPM]
    expect(namedIn(readFileSync(join(ROOT, page), 'utf8')).filter((name) => !known.includes(name))).toEqual(
      [],
    )
  })
})

/** The word after `pnpm`, wherever a page shows code. */
function namedIn(markdown: string): string[] {
  const code = markdown.match(/(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g) ?? []
  return code.flatMap((text) =>
    [...text.matchAll(/\bpnpm(?:@12)?\s+([a-z][\w:-]*)/g)].map(([, name = '']) => name),
  )
}
