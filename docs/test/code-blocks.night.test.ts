import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { codeBlocks, extract, INSTALLED } from './code-blocks.ts'

const FOLDER = join(import.meta.dirname, '../.code-blocks/compiled')
const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc')

it('compiles, every block of TypeScript in every Markdown file', () => {
  const blocks = codeBlocks().filter(({ page }) => !INSTALLED.includes(page))
  expect(blocks.length).toBeGreaterThan(20)
  extract(blocks, FOLDER)
  const extended = join(import.meta.dirname, '../../tsconfig.base.json')
  const config = { extends: extended, compilerOptions: { noEmit: true }, include: ['**/*.ts'] }
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(config))
  expect(compile()).toBe('')
}, 60_000)

it('holds no secret that a reader could leave in place', () => {
  const literal = /\bsecret\s*[:=]\s*(process\.env\.\w+\s*\?\?\s*)?['"`][^'"`]{32,}/i
  const examples = globSync('examples/**/*.ts', { exclude: ['**/node_modules/**'] })
  const written = examples.map((page) => ({ page, code: readFileSync(page, 'utf8') }))
  const shown = [...codeBlocks(), ...written].filter(({ code }) => literal.test(code))
  expect(shown.map(({ page }) => page)).toEqual([])
})

function compile(): string {
  try {
    return execFileSync(TSC, ['-p', FOLDER], { cwd: FOLDER, encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}
