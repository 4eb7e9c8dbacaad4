import { TOKEN_EXCHANGE } from '../stage/attempts.ts'
import { type Check, probes } from './check.ts'
import { needsEndpoint, needsRefresh, needsResource } from './conditions.ts'

/** An exchanged token ends with the grant that it came from. */
export const exchangeOutlives: Check = {
  id: 'exchange-outlives',
  rounds: 3,
  cost: { grants: 1, requests: 8 },
  missing: (bench, seen) =>
    needsRefresh(seen) ??
    needsEndpoint(bench, 'revocation') ??
    needsResource(bench) ??
    (bench.endpoints.grantTypes.includes(TOKEN_EXCHANGE) ? undefined : 'the server has no token exchange'),
  async round(stage) {
    const grant = await stage.hold()
    const { tokens } = await stage.send(stage.attempts.exchange(grant, grant.tokens.access))
    if (tokens.access === undefined) return
    for (const probe of probes(stage, grant, tokens.access)) await stage.send(probe)
    await stage.send(stage.attempts.revoke(grant, grant.tokens.refresh))
    for (const probe of probes(stage, grant, tokens.access)) await stage.send(probe)
  },
}
