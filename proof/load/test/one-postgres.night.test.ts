import { run } from '@grantkit/reference/test/program'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
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

  it('see an account that a command added, and that it was disabled', async () => {
    const account = async (args: readonly string[], input = '') => {
      const command = run('cli.ts account', args, { environment: deployment.environment, input })
      expect(await command.ended, command.output()).toBe(0)
    }
    const email = 'ada@school.example'
    await account(['add', '--email', email, '--name', 'Ada'], 'correct horse\n')
    const cookies = await Promise.all(
      cluster.origins.map((origin) => sessionCookie(origin, email, 'correct horse')),
    )
    const statuses = () =>
      Promise.all(
        cluster.origins.map(async (origin, index) => {
          const cookie = cookies[(index + 1) % cookies.length] ?? ''
          return (await fetch(`${origin}/account`, { headers: { cookie }, redirect: 'manual' })).status
        }),
      )
    expect(await statuses()).toEqual([200, 200, 200])
    await account(['disable', email])
    expect(await statuses()).toEqual([303, 303, 303])
  })
})
