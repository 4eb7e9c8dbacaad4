import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../src/config/config.ts'
import { openStorage } from '../src/storage.ts'
import { grantkitProgram } from './grantkit-program.ts'

/** The warnings about the storage of a server. */

it('a Postgres that could lose accounts is warned of once, wherever the store is', async () => {
  const server = await startPostgres('fsync=off')
  onTestFinished(() => server.close())
  for (const store of [{ STORE_URL: 'memory:' }, {}]) {
    const warnings: string[] = []
    const config = parseConfig({ environment: { DATABASE_URL: server.url, ...store } })
    await (await openStorage(config, (warning) => warnings.push(warning), { definition: {} })).close()
    expect(warnings).toEqual([
      expect.stringContaining('DATABASE_URL: fsync is off: a crash of the machine may destroy the database'),
    ])
  }
})

it.runIf(existsSync('/dev/shm'))(
  'a start warns of a file system that does not keep its database',
  async () => {
    const folder = await mkdtemp('/dev/shm/grantkit-')
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'service.sqlite')
    const environment = { DATABASE_URL: `sqlite:${path}`, STORE_URL: 'memory:' }
    const program = await grantkitProgram(folder, environment).start()
    const warnings = program.output().match(/[^"\n]*\b(?:is off|is in memory):[^"\n]*/g)
    expect(warnings).toEqual([expect.stringContaining(`DATABASE_URL: ${path} is in memory`)])
  },
)
