import { TokenRotation } from '../stage/token-rotation.ts'
import { type Check, probes } from './check.ts'
import { needsEndpoint, needsRefresh } from './conditions.ts'

/** What one replica has done, the others know: a rotation, and a revocation. */
export const replicas: Check = {
  id: 'replicas',
  rounds: 4,
  cost: { grants: 1, requests: 12 },
  missing: (bench, seen) => {
    if (bench.replicas.length < 2) return 'it needs --replica twice or more'
    return needsRefresh(seen) ?? needsEndpoint(bench, 'revocation')
  },
  async round(stage, round) {
    const all = stage.bench.replicas
    const [here, there] = [all[round % all.length], all[(round + 1) % all.length]]
    const app = new TokenRotation(stage, await stage.hold())
    await app.rotate({ replica: here })
    await app.rotate({ replica: there })
    for (const probe of probes(stage, app.grant, app.access, there)) await stage.send(probe)
    await stage.send(stage.attempts.revoke(app.grant, app.refresh, { replica: here }))
    for (const probe of probes(stage, app.grant, app.access, there)) await stage.send(probe)
    await app.rotate({ replica: there })
  },
}
