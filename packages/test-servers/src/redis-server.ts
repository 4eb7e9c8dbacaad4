import { type Engine, startEngine } from './engine.ts'

export interface RedisServer extends Engine {
  readonly url: string
}

/** @param options of the command line, after those that let every acknowledged write survive a crash */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  const engine = await startEngine({
    part: 'Redis',
    options: (port) => ['--port', `${port}`, '--bind', '127.0.0.1', ...DURABLE, ...options],
    ready: 'Ready to accept connections',
  })
  return { ...engine, url: `redis://127.0.0.1:${engine.port}` }
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
