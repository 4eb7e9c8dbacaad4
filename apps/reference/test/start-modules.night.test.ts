import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { run } from './program.ts'

/** What most starts do not need. Each has tens or hundreds of modules, and all of them together took half of a start. */
const LATER = [
  '@modelcontextprotocol/server',
  '@opentelemetry/api',
  '@redis/client',
  '@simplewebauthn/server',
  'openid-client',
  'pg',
  'pino-pretty',
  'd3-scale',
  'prom-client',
  'store-postgres',
  'store-redis',
]

it.each([
  ['fastify', 'express'],
  ['hono', 'fastify'],
])(
  'a start on %s and SQLite loads no %s, and nothing that only other settings or later requests need',
  async (used, unused) => {
    const LOADED_PACKAGES = join(await temporaryFolder(), 'loaded.json')
    const PORT = String(await freePort())
    const NODE_OPTIONS = `--import ${new URL('loaded-packages.ts', import.meta.url)}`
    const environment = { PORT, FRAMEWORK: used, STORE_URL: 'memory:', LOADED_PACKAGES, NODE_OPTIONS }
    const { printed, stop, ended } = run('main.ts', [], { environment })
    await printed('Try next')
    expect((await fetch(`http://127.0.0.1:${PORT}/.well-known/oauth-authorization-server`)).status).toBe(200)
    stop()
    await ended
    const loaded: string[] = JSON.parse(await readFile(LOADED_PACKAGES, 'utf8'))
    expect(loaded).toContain(used)
    expect(loaded.filter((name) => [...LATER, unused].includes(name))).toEqual([])
  },
)
