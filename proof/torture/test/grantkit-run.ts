import type { Store } from '@grantkit/core'
import type { TortureOptions } from '../src/run/options.ts'
import { type TortureReport, torture } from '../src/run/torture.ts'
import { approveDevice } from './approve-device.ts'
import { type ReplicaOptions, startReplicas } from './grantkit-replicas.ts'

/** Races Grantkit with a replica for each store. */
export async function raceGrantkit(
  stores: readonly Store[],
  options: Partial<TortureOptions> = {},
  replicas: ReplicaOptions = { isEager: true },
): Promise<TortureReport> {
  const { issuer, bases, resource, clients, close } = await startReplicas(stores, replicas)
  try {
    return await torture({
      ...{ issuer, clients, cookie: 'session=alice', approve: approveDevice, scope: ['notes:read'] },
      replicas: bases.length > 1 ? bases : [],
      endpoints: { userinfo: resource },
      limits: { rate: 1000 },
      ...options,
    })
  } finally {
    await close()
  }
}

/** What a correct server must not have. */
export function faultsOf({ findings }: TortureReport) {
  return findings
    .filter(({ verdict }) => /unsafe|lossy|noisy|unknown/.test(verdict))
    .map(({ id, verdict, seen, counterexample }) => ({ id, verdict, seen, counterexample }))
}
