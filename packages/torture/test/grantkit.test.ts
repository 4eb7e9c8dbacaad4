import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { createSqliteStore, migrate } from '@grantkit/store-sqlite'
import { afterAll, describe, test } from 'vitest'
import { torture } from '../src/run/torture.ts'
import { startReplicas } from './grantkit-replicas.ts'

const folder = mkdtempSync(join(tmpdir(), 'torture-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.concurrent('a run finds nothing in Grantkit', () => {
  test('on the memory store', async ({ expect }) => {
    const { verdicts, rounds } = await runOn([createMemoryStore()])
    expect(verdicts).toEqual([])
    expect(rounds.ended).toBe(rounds.planned)
  })

  test('on two replicas with one SQLite file', async ({ expect }) => {
    const path = join(folder, 'grantkit.db')
    migrate({ path })
    const stores = [createSqliteStore({ path }), createSqliteStore({ path })]
    const { verdicts, rounds } = await runOn(stores)
    for (const store of stores) store.close()
    expect(verdicts).toEqual([])
    expect(rounds.ended).toBe(rounds.planned)
  })
})

async function runOn(stores: readonly Store[]) {
  const { issuer, bases, resource, close } = await startReplicas(stores)
  const replicas = bases.length > 1 ? bases : []
  const way = { cookie: 'session=alice', register: true, scope: ['notes:read'] }
  const limits = { rate: 1000 }
  const { findings, rounds } = await torture({
    issuer,
    replicas,
    endpoints: { userinfo: resource },
    limits,
    ...way,
  })
  await close()
  const bad = findings.filter(({ verdict }) => /unsafe|lossy|noisy|unknown/.test(verdict))
  return {
    verdicts: bad.map(({ id, verdict, seen, counterexample }) => ({ id, verdict, seen, counterexample })),
    rounds,
  }
}
