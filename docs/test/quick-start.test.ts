import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { codeBlocks } from './code-blocks.ts'

const ROOT = join(import.meta.dirname, '../..')
const files = globSync('examples/quick-start/*.ts', { cwd: ROOT }).sort()

it.each(['README.md', 'docs/start.md'])('%s shows the programs of the quick start as they are', (page) => {
  const shown = codeBlocks().filter((block) => block.page === page)
  for (const file of files) {
    const block = shown.find(({ info }) => info.includes(`[${basename(file)}]`))
    if (page === 'README.md' && file.endsWith('interaction.ts')) expect(block).toBeUndefined()
    else expect(block?.code).toBe(readFileSync(join(ROOT, file), 'utf8'))
  }
})
