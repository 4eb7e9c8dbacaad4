import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { folderInMemory } from '../../packages/test-servers/src/folder-in-memory.ts'
import { requireSystemPart } from '../../packages/test-servers/src/system-parts.ts'
import { GENERATOR_CORE, onCore } from '../src/cores.ts'

/**
 * A Redis that syncs its log once a second, to memory if possible: a busy shared disk blocks it for seconds. It runs on the
 * generator's core, so that the target has the server core alone. It ends with this process.
 *
 * @returns its URL
 */
export async function startRedis(port: number): Promise<string> {
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec']
  const folder = await folderInMemory('bench')
  const [command, args] = onCore(GENERATOR_CORE, requireSystemPart('Redis'), [
    '--port',
    String(port),
    '--dir',
    folder,
    ...settings,
  ])
  const redis = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.on('exit', () => {
    redis.kill()
    rmSync(folder, { recursive: true })
  })
  let output = ''
  for await (const chunk of redis.stdout) {
    output += chunk
    if (output.includes('Ready to accept connections')) return `redis://127.0.0.1:${port}`
  }
  throw new Error(`Redis did not start:\n${output}`)
}
