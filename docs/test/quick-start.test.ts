import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
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

it.each(['fastify', 'express', 'hono'])('the quick start on %s says where it listens', async (framework) => {
  const port = await freePort()
  const program = spawn(process.execPath, [join(ROOT, `examples/quick-start/${framework}.ts`)], {
    env: { PATH: process.env.PATH, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(program.stdout, 'data')
  expect(String(line)).toBe(`Notes at http://127.0.0.1:${port}/notes\n`)
  program.kill()
  await once(program, 'exit')
})
