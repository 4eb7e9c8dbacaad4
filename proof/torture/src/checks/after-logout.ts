import { type Check, probes } from './check.ts'
import { needsEndpoint, needsRefresh } from './conditions.ts'

/** What a logout ends stays ended, its refresh token too. */
export const afterLogout: Check = {
  id: 'after-logout',
  rounds: 4,
  cost: { grants: 1, requests: 6 },
  missing: (bench, seen) =>
    needsRefresh(seen) ??
    needsEndpoint(bench, 'endSession') ??
    endsNothing(seen.logoutEnds, bench.declared.logoutEnds),
  async round(stage) {
    const grant = await stage.hold()
    const { access, refresh, idToken } = grant.tokens
    if (idToken === undefined) return
    await stage.send(stage.attempts.logOut(grant, idToken))
    await stage.send(stage.attempts.refresh(grant, refresh))
    for (const probe of probes(stage, grant, access)) await stage.send(probe)
  },
}

/** OpenID Connect does not say that a logout ends grants, so a server that ends nothing has to be told to. */
function endsNothing(seen: boolean | undefined, declared: boolean | undefined): string | undefined {
  if (declared === true || seen === true) return undefined
  return seen === undefined
    ? 'there is no ID token, or no resource'
    : 'a logout ends no tokens here: --logout-ends demands it'
}
