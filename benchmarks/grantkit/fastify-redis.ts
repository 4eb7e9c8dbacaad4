import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectToRedis, createRedisStore } from '@grantkit/store-redis'
import { requireSystemPart } from '../../scripts/system-parts.ts'
import { GENERATOR_CORE, onCore } from '../src/cores.ts'
import type { StartTarget } from '../src/target.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify on records in a Redis of its own, which writes its log to disk once a second. */
export const start: StartTarget = async (port) => {
  const redisPort = port + 1
  await startRedis(redisPort)
  const store = createRedisStore(await connectToRedis(`redis://127.0.0.1:${redisPort}`))
  return grantkitTarget(port, (service) => serve(service, port), store)
}

/** Beside the generator, so that the core of servers is Grantkit's alone. It ends with this process. */
async function startRedis(port: number): Promise<void> {
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec']
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-bench-'))
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
    if (output.includes('Ready to accept connections')) return
  }
  throw new Error(`Redis did not start:\n${output}`)
}
