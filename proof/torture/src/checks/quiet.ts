import { type Check, probes } from './check.ts'
import { needsRefresh } from './conditions.ts'

/** Everything at once, and no answer is a fault of the server: no status of 500 or more but 503, and nothing hangs. */
export const quiet: Check = {
  id: 'quiet',
  rounds: 4,
  cost: { grants: 1, requests: 10 },
  missing: (_bench, seen) => needsRefresh(seen),
  async round(stage) {
    const grant = await stage.hold()
    const { access, refresh } = grant.tokens
    const { attempts, bench } = stage
    const revoke =
      bench.endpoints.revocation === undefined ? [] : [attempts.revoke(grant, refresh, { process: 'owner' })]
    const refreshes = ['app', 'app-2', 'app-3'].map((process) =>
      attempts.refresh(grant, refresh, { process }),
    )
    const burst = [...refreshes, ...revoke, ...probes(stage, grant, access)]
    await stage.burst(burst.slice(0, bench.maxBurst))
  },
}
