import type { Store } from '@grantkit/core'
import type { CheckId } from '../src/check-id.ts'
import { type TortureReport, torture } from '../src/run/torture.ts'
import { approveDevice } from './approve-device.ts'
import { startReplicas } from './grantkit-replicas.ts'

/** Races Grantkit with a process for each store. @param checks default: all */
export async function raceGrantkit(
  stores: readonly Store[],
  checks?: readonly CheckId[],
): Promise<TortureReport> {
  const { issuer, bases, resource, clients, close } = await startReplicas(stores)
  try {
    return await torture({
      ...{ issuer, clients, cookie: 'session=alice', approve: approveDevice, scope: ['notes:read'] },
      replicas: bases.length > 1 ? bases : [],
      endpoints: { userinfo: resource },
      limits: { rate: 1000, seconds: 600 },
      only: checks,
    })
  } finally {
    await close()
  }
}

/** Races with a retry window of a second, and waits until it is over: a replay then ends the grant. */
export async function raceAfterWindow(stores: readonly Store[]): Promise<TortureReport> {
  const { issuer, resource, clients, close } = await startReplicas(stores, 1)
  try {
    return await torture({
      ...{
        issuer,
        clients,
        cookie: 'session=alice',
        scope: ['notes:read'],
        endpoints: { userinfo: resource },
      },
      ...{ only: ['replay-contained'], slow: true, limits: { rate: 1000 } },
      declared: { rotation: 'same-pair', overlapSeconds: 1, clockSkewSeconds: 1 },
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
