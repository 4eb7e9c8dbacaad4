import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestCluster, type TestCluster } from '../cluster.ts'
import { type Deployment, onPostgres } from '../deployments.ts'
import { ROLLING_RESTART } from '../injections.ts'
import { working } from './under-load.ts'

/** Three replicas behind an HAProxy that share nothing but a Postgres, with installations and editors at work. */

let deployment: Deployment
let cluster: TestCluster
beforeAll(async () => {
  deployment = await onPostgres()
  cluster = await startTestCluster(3, deployment.environment)
})
afterAll(async () => {
  await cluster.stop()
  await deployment.close()
})

describe('three replicas on one Postgres', () => {
  it('are restarted one after another, and no client notices', async () => {
    const tally = await working(cluster, () => ROLLING_RESTART.inject(cluster), 4)
    expect(tally.allFaults()).toEqual([])
    expect([tally.setbacksOf('503'), tally.setbacksOf('no answer')]).toEqual([0, 0])
    expect(tally.compared, 'each shows the school that the others show').toBeGreaterThan(100)
  }, 120_000)

  it('lose and duplicate nothing when one is killed or paused, or Postgres crashes', async () => {
    const faults = deployment.injections.filter((injection) => injection !== ROLLING_RESTART)
    for (const { name, inject } of faults) {
      const tally = await working(cluster, () => inject(cluster), 4)
      expect(tally.allFaults(), name).toEqual([])
    }
  }, 120_000)
})
