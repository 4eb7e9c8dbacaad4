import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { folderInMemory } from './folder-in-memory.ts'
import { freePort } from './free-port.ts'
import { requireSystemPart } from './system-parts.ts'

/** A real server for one test, on a free loopback port. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Kills it, like a crash. */
  stop(): Promise<void>
  /** Starts it again on its files; kills it first if it still runs. */
  restart(): Promise<void>
  /** Keeps its connections open but answers nothing, like a machine that lost its network. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** @param options of the command line, after those that let every acknowledged write survive a crash */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  const folder = await folderInMemory('redis')
  const port = await freePort()
  const own = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, ...DURABLE, ...options]
  let server = await launch(own)
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: () => kill(server),
    async restart() {
      await kill(server)
      server = await launch(own)
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async close() {
      await kill(server)
      await rm(folder, { recursive: true })
    },
  }
}

const DURABLE = [
  '--appendonly',
  'yes',
  '--appendfsync',
  'always',
  '--save',
  '',
  '--repl-diskless-sync-delay',
  '0',
]

/** Starts `redis-server` and waits until it reports that it is ready. */
export async function launch(
  options: readonly string[],
  ready = 'Ready to accept connections',
): Promise<ChildProcess> {
  const server = spawn(requireSystemPart('Redis'), options, { stdio: ['ignore', 'pipe', 'inherit'] })
  const output: string[] = []
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (chunk) => {
      output.push(String(chunk))
      if (output.join('').includes(ready)) resolve()
    })
    server.once('exit', () => reject(new Error(`Redis did not start:\n${output.join('')}`)))
  })
  // Unread output would fill the pipe.
  server.stdout.removeAllListeners('data').resume()
  return server
}

export async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}
