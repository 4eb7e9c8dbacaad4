import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { expect, it, onTestFinished } from 'vitest'
import { schoolConfig } from '../src/config.ts'
import { openSchoolStorage } from '../src/service.ts'
import { run } from './program.ts'

/** The warnings about the storage of a service. */

it('a Postgres that could lose accounts is warned of once, wherever the store is', async () => {
  const server = await startPostgres('fsync=off')
  onTestFinished(() => server.close())
  for (const store of [{ STORE_URL: 'memory:' }, {}]) {
    const warnings: string[] = []
    const config = schoolConfig({ DATABASE_URL: server.url, ...store })
    await (await openSchoolStorage(config, (warning) => warnings.push(warning))).close()
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
    const environment = {
      DATABASE_URL: `sqlite:${path}`,
      STORE_URL: 'memory:',
      PORT: String(await freePort()),
    }
    const program = run('main.ts', [], { environment })
    onTestFinished(() => program.stop())
    await program.printed('Try next')
    const warnings = program.output().match(/[^"\n]*\b(?:is off|is in memory):[^"\n]*/g)
    expect(warnings).toEqual([expect.stringContaining(`DATABASE_URL: ${path} is in memory`)])
  },
)
