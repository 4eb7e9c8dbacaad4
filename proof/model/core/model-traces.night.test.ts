import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore } from '@grantkit/store-memory'
import { createSqliteStore, migrate } from '@grantkit/store-sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../packages/core/src/kernel/store.ts'
import { type Trace, tracesIn } from './itf.ts'
import { replay } from './replay.ts'
import type { NowAt } from './replicas.ts'
import { Rules } from './rules.ts'

/** MODEL_TRACES names a folder of fresh ones: `pnpm --dir proof model traces --out <folder>`. */
const KEPT = join(import.meta.dirname, '../traces')
const traces = tracesIn(process.env.MODEL_TRACES ?? KEPT)
const clock = { now: 0 }
const folder = mkdtempSync(join(tmpdir(), 'model-'))
const path = join(folder, 'grants.sqlite')
migrate({ path })
const sqlite = createSqliteStore({ path, durability: 'process', sweeping: false, now: () => clock.now })

afterAll(async () => {
  await sqlite.close()
  rmSync(folder, { recursive: true })
})

describe.each<[string, Store]>([
  ['memory', createMemoryStore({ now: () => clock.now })],
  ['SQLite', sqlite],
])('core on the %s store does what the model of a grant did', (_, { grants }) => {
  it.each(traces)('in $name', async (trace: Trace) => {
    const replicas = (nowAt: NowAt, isDevice: boolean) => new Rules(grants, nowAt, trace.name, isDevice)
    await replay({ grants, clock, replicas }, trace, (actions, { model, core }) =>
      expect(core, `after ${actions}`).toEqual(model),
    )
  })
})

it('the kept traces take every action of the model', () => {
  const taken = tracesIn(KEPT).flatMap(({ steps }) => steps.map(({ action }) => action))
  const requests = [
    'sendCode',
    'sendPoll',
    'sendRefresh',
    'arrive',
    'answer',
    'loseAnswer',
    'failBefore',
    'loseRequest',
  ]
  const users = ['approve', 'deny', 'allowDevice', 'denyDevice', 'revoke', 'revokeAccess', 'exchange']
  const others = ['steal', 'thiefSends', 'failover', 'tick', 'clockStep']
  expect([...new Set(taken)].sort()).toEqual(['init', ...requests, ...users, ...others].sort())
})
