import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore } from '@grantkit/store-memory'
import { createSqliteStore, migrate } from '@grantkit/store-sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import type { Store } from '../src/kernel/store.ts'
import { type Trace, tracesIn } from './model/itf.ts'
import { Replay } from './model/replay.ts'

/** MODEL_TRACES names a folder of fresh ones: `pnpm model:traces`. */
const KEPT = join(import.meta.dirname, '../../../docs/model/traces')
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

async function replay(store: Store, { name, steps: [first, ...steps] }: Trace): Promise<void> {
  if (first === undefined) throw new Error('It is empty')
  const real = new Replay(store, clock, name.slice(0, 22), first)
  const done: string[] = []
  for (const step of steps) {
    done.push(step.action)
    const { model, core } = await real.take(step)
    expect(core, `after ${done.join(', ')}`).toEqual(model)
  }
}

describe.each([
  ['memory', createMemoryStore({ now: () => clock.now })],
  ['SQLite', sqlite],
])('core on the %s store does what the model of a grant did', (_, store) => {
  it.each(traces)('in $name', async (trace) => {
    await replay(store, trace)
  })
})

it('the kept traces take every action of the model', () => {
  const taken = tracesIn(KEPT).flatMap(({ steps }) => steps.map(({ action }) => action))
  const requests = ['sendCode', 'sendRefresh', 'arrive', 'answer', 'loseAnswer', 'failBefore', 'loseRequest']
  const others = ['approve', 'deny', 'revoke', 'revokeAccess', 'exchange', 'steal', 'thiefSends', 'failover']
  const times = ['tick', 'clockStep']
  expect([...new Set(taken)].sort()).toEqual(['init', ...requests, ...others, ...times].sort())
})
