import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run } from './program.ts'

/** The warnings at a start about its storage. */
async function warningsOf(environment: Record<string, string>): Promise<string[]> {
  const PORT = String(await freePort())
  const program = run('main.ts', [], { environment: { ...environment, PORT } })
  onTestFinished(() => program.stop())
  await program.printed('Try next')
  return program.output().match(/[^"\n]*\b(?:is off|is in memory):[^"\n]*/g) ?? []
}

describe('a start', () => {
  it('warns once of a Postgres that could lose accounts, wherever its store is', async () => {
    const server = await startPostgres('fsync=off')
    onTestFinished(() => server.close())
    for (const store of [{ STORE_URL: 'memory:' }, {}])
      expect(await warningsOf({ DATABASE_URL: server.url, ...store })).toEqual([
        expect.stringContaining(
          'DATABASE_URL: fsync is off: a crash of the machine may destroy the database',
        ),
      ])
  })

  it.runIf(existsSync('/dev/shm'))('warns of a file system that does not keep its database', async () => {
    const folder = await mkdtemp('/dev/shm/grantkit-')
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'service.sqlite')
    expect(await warningsOf({ DATABASE_URL: `sqlite:${path}`, STORE_URL: 'memory:' })).toEqual([
      expect.stringContaining(`DATABASE_URL: ${path} is in memory`),
    ])
  })
})
