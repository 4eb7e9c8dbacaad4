import { test } from 'vitest'
import { faultsOf, raceGrantkit } from './grantkit-run.ts'
import { STORES } from './grantkit-stores.ts'

const MS = 300_000

// They mostly wait for devices.
test.concurrent.for(Object.keys(STORES))(
  'a run with every check finds nothing in two replicas of Grantkit on %s',
  { timeout: MS },
  async (name, { expect }) => {
    const started = await STORES[name]?.()
    if (started === undefined) throw new Error(`There is no store ${name}`)
    const report = await raceGrantkit(started.stores).finally(started.close)
    expect(faultsOf(report)).toEqual([])
    expect(report.rounds.ended).toBe(report.rounds.planned)
  },
)
