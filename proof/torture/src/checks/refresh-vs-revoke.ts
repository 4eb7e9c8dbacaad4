import { TokenRotation } from '../stage/token-rotation.ts'
import { type Check, probes } from './check.ts'
import { needsEndpoint, needsRefresh } from './conditions.ts'

/** Grants in one burst: each of them is one chance that the refresh is in flight while the revocation is acknowledged. */
const GRANTS = 4

/** A refresh and a revocation at once: what the refresh brings must not outlive the revocation (keycloak#51312). */
export const refreshVsRevoke: Check = {
  id: 'refresh-vs-revoke',
  rounds: 10,
  cost: { grants: GRANTS, requests: GRANTS * 8 },
  missing: (bench, seen) => needsRefresh(seen) ?? needsEndpoint(bench, 'revocation'),
  async round(stage, round) {
    const count = Math.min(GRANTS, Math.floor(stage.bench.maxBurst / 2))
    const apps = []
    for (let at = 0; at < count; at++) apps.push(new TokenRotation(stage, await stage.hold()))
    const outcomes = await stage.burst(
      apps.flatMap(({ grant, refresh }) => [
        stage.attempts.refresh(grant, refresh),
        stage.attempts.revoke(grant, refresh, { process: 'owner' }),
      ]),
      round % 5 === 4 ? 'staggered' : 'together',
    )
    for (const [at, app] of apps.entries()) {
      const refreshed = outcomes[at * 2]
      if (refreshed === undefined || refreshed.tokens.access === undefined) continue
      app.keep(refreshed)
      for (const probe of probes(stage, app.grant, app.access)) await stage.send(probe)
      await app.rotate()
    }
  },
}
