import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DATA, documentBlocks, ROWS, shellLines } from './shell-lines.ts'

const ROOT = join(import.meta.dirname, '../..')
const LINES = shellLines()

describe('every shell line of the documentation', () => {
  it.each(LINES)('is run by a test, or has a reason why not: $line ($page)', ({ line }) => {
    expectProof(ROWS.find(({ lines }) => lines.test(line)))
  })
})

describe('every block of data', () => {
  const blocks = documentBlocks().filter(({ language }) => !['sh', 'ts', 'mermaid'].includes(language))

  it.each(blocks)('is used by a test, or has a reason why not: $page:$line', ({ page, code }) => {
    const [, proof] = Object.entries(DATA).find(([start]) => `${page}: ${code}`.startsWith(start)) ?? []
    expectProof(proof)
  })
})

function expectProof(proof: { by?: string; why?: string } | undefined): void {
  expect(proof?.by === undefined ? proof?.why : existsSync(join(ROOT, proof.by))).toBeTruthy()
}

it.each(ROWS)('the row $lines of the table has a line', (row) => {
  expect(LINES.filter(({ line }) => ROWS.find(({ lines }) => lines.test(line)) === row)).not.toEqual([])
})
