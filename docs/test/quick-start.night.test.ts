import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { expect, it } from 'vitest'
import { copyOut } from '../../examples/copy-out.ts'

const FOLDER = copyOut(join(import.meta.dirname, '../../examples/quick-start'))

it.each(['notes', 'fastify', 'express', 'hono'])(
  'the quick start %s says where it listens',
  async (framework) => {
    const port = await freePort()
    const program = spawn(process.execPath, [join(FOLDER, `${framework}.ts`)], {
      env: { PATH: process.env.PATH, PORT: `${port}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(program.stdout, 'data')
    expect(String(line)).toBe(`Notes at http://127.0.0.1:${port}/notes\n`)
    program.kill()
    await once(program, 'exit')
  },
)
