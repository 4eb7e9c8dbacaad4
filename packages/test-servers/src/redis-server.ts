import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { folderInMemory } from './folder-in-memory.ts'
import { freePort } from './free-port.ts'
import { launch } from './launched-server.ts'
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
  let server = await launchRedis(own)
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: () => kill(server),
    async restart() {
      await kill(server)
      server = await launchRedis(own)
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
export function launchRedis(
  options: readonly string[],
  ready = 'Ready to accept connections',
): Promise<ChildProcess> {
  return launch(requireSystemPart('Redis'), options, ready)
}

export async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}
