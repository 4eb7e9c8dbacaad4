import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireSystemPart } from '../../../scripts/system-parts.ts'

/** A real server of this test alone, on a free loopback port. */
export interface RedisServer {
  readonly url: string
  /** Ends it without a word, as a crash does. */
  stop(): Promise<void>
  /** Starts it on what it has written, after such an end if it runs. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function startRedis(...options: string[]): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-redis-'))
  const port = await freePort()
  const start = () =>
    launch([
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--appendonly',
      'yes',
      '--appendfsync',
      'always',
      '--save',
      '',
      ...options,
    ])
  let server = await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: () => kill(server),
    async restart() {
      await kill(server)
      server = await start()
    },
    async close() {
      await kill(server)
      await rm(folder, { recursive: true })
    },
  }
}

async function launch(options: readonly string[]): Promise<ChildProcess> {
  const server = spawn(requireSystemPart('Redis'), options, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const chunk of server.stdout) {
    output += chunk
    if (output.includes('Ready to accept connections')) break
  }
  if (!output.includes('Ready to accept connections')) throw new Error(`Redis did not start:\n${output}`)
  return server
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  return port
}
