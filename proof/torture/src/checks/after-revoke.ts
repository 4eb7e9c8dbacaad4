import { type Check, probes } from './check.ts'
import { needsEndpoint, needsRefresh } from './conditions.ts'

/** Once a revocation is acknowledged, no replica accepts a token of the grant (RFC 7009 section 2). */
export const afterRevoke: Check = {
  id: 'after-revoke',
  rounds: 6,
  cost: { grants: 1, requests: 12 },
  missing: (bench, seen) => needsRefresh(seen) ?? needsEndpoint(bench, 'revocation'),
  async round(stage) {
    const grant = await stage.hold()
    const { access, refresh } = grant.tokens
    const replicas = stage.bench.replicas.length === 0 ? [undefined] : stage.bench.replicas
    const uses = () => replicas.flatMap((replica) => probes(stage, grant, access, replica))
    // A cache that has seen the token is the one that keeps it.
    for (const probe of uses()) await stage.send(probe)
    await stage.send(stage.attempts.revoke(grant, refresh))
    const attempts = [...uses(), stage.attempts.refresh(grant, refresh, { process: 'thief' })]
    await stage.burst(attempts.slice(-stage.bench.maxBurst))
    for (const probe of uses()) await stage.send(probe)
  },
}
