import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { expect, it } from 'vitest'
import { copyOut } from '../../examples/copy-out.ts'

const FOLDER = copyOut(join(import.meta.dirname, '../../examples/quick-start'))

const FRAMEWORKS = ['notes', 'fastify', 'express', 'hono']

function start(framework: string, port: number) {
  const env = { PATH: process.env.PATH, PORT: `${port}` }
  return spawn(process.execPath, [join(FOLDER, `${framework}.ts`)], { env })
}

it.each(FRAMEWORKS)('the quick start %s says where it listens', async (framework) => {
  const port = await freePort()
  const program = start(framework, port)
  const [line] = await once(program.stdout, 'data')
  expect(String(line)).toBe(`Notes at http://127.0.0.1:${port}/notes\n`)
  program.kill()
  await once(program, 'exit')
})

it.each(FRAMEWORKS)('the quick start %s says which port is taken, and ends', async (framework) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const program = start(framework, port)
  const [line] = await once(program.stderr, 'data')
  expect(String(line)).toBe(`listen EADDRINUSE: address already in use 127.0.0.1:${port}. Set PORT\n`)
  expect(await once(program, 'exit')).toEqual([1, null])
  other.close()
})
