import { TOKEN_EXCHANGE } from '../stage/attempts.ts'
import { TokenRotation } from '../stage/token-rotation.ts'
import type { Check } from './check.ts'
import { needsRefresh } from './conditions.ts'

/** Neither a refresh nor an exchange brings more scope than the user approved (RFC 6749 section 6, RFC 8693 section 2.1). */
export const neverMore: Check = {
  id: 'never-more',
  rounds: 2,
  cost: { grants: 1, requests: 4 },
  missing: ({ scope }, seen) => needsRefresh(seen) ?? (scope.length > 0 ? undefined : 'it needs --scope'),
  async round(stage) {
    const { endpoints, scope } = stage.bench
    const more = [...scope, endpoints.scopes.find((each) => !scope.includes(each)) ?? 'admin']
    const app = new TokenRotation(stage, await stage.hold())
    await app.rotate({ scope: more })
    if (endpoints.grantTypes.includes(TOKEN_EXCHANGE))
      await stage.send(stage.attempts.exchange(app.grant, app.access, { scope: more }))
  },
}
