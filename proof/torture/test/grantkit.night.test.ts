import { test } from 'vitest'
import { faultsOf, raceGrantkit } from './grantkit-run.ts'
import { STORES } from './grantkit-stores.ts'

// They mostly wait. `grantkit-memory.night.test.ts` has the memory store.
test.concurrent.for(Object.keys(STORES).filter((name) => name !== 'memory'))(
  'a run with every check finds nothing in two replicas of Grantkit on %s',
  async (name, { expect }) => {
    const started = await STORES[name]?.()
    if (started === undefined) throw new Error(`There is no store ${name}`)
    const report = await raceGrantkit(started.stores).finally(started.close)
    expect(faultsOf(report)).toEqual([])
    expect(report.rounds.ended).toBe(report.rounds.planned)
  },
)
