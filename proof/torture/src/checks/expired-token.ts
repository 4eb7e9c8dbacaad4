import { type Check, probes } from './check.ts'
import { needsRefresh, needsResource, needsSlow } from './conditions.ts'

/** Longer than this is not waited for, in seconds. */
const MAX_WAIT = 900

/** An access token ends when its `expires_in` says. */
export const expiredToken: Check = {
  id: 'expired-token',
  rounds: 1,
  cost: { grants: 1, requests: 4 },
  missing: (bench, seen) => needsSlow(bench) ?? needsRefresh(seen) ?? needsResource(bench),
  async round(stage) {
    const grant = await stage.hold()
    const { access, expiresIn = MAX_WAIT } = grant.tokens
    if (expiresIn > MAX_WAIT) return
    await stage.wait(expiresIn + (stage.bench.declared.clockSkewSeconds ?? 0) + 1)
    for (const probe of probes(stage, grant, access))
      await stage.send({ ...probe, forbidden: 'an expired access token' })
  },
}
