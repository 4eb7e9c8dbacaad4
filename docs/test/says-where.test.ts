import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { codeBlocks } from './code-blocks.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A program listens at a port that its user has to know: not at one that a test is given. */
const LISTENS = /^(?!.*(listen\(|port: )0\b)(.*\blisten\(|serve\()/m

const shown = codeBlocks().map(({ page, line, code }) => [`${page}:${line}`, code] as const)
const examples = globSync('examples/*/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] }).map(
  (file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const,
)
const programs = [...shown, ...examples].filter(([, code]) => LISTENS.test(code))

it.each(programs)('%s says where it listens', (_, code) => {
  expect(code).toContain('console.log(')
})
