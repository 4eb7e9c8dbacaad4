import { newDpopKey } from '../client/dpop-proof.ts'
import type { Check } from './check.ts'

/** Tokens work with the key of their client only (RFC 9449 sections 5 and 7). */
export const otherKey: Check = {
  id: 'other-key',
  rounds: 2,
  cost: { grants: 1, requests: 5 },
  missing: ({ clients: [{ dpopKey }] }) => (dpopKey === undefined ? 'it needs --dpop' : undefined),
  async round(stage) {
    const { attempts, bench } = stage
    const [client] = bench.clients
    const grant = await stage.hold()
    const { access, refresh } = grant.tokens
    const thieves = [
      { client: { ...client, dpopKey: newDpopKey() }, forbidden: 'another key' },
      { client: { ...client, dpopKey: undefined }, forbidden: 'no proof of possession' },
    ]
    for (const thief of thieves) {
      const how = { process: 'thief', ...thief }
      if (bench.endpoints.userinfo !== undefined) await stage.send(attempts.use(grant, access, how))
      // The refresh token of a confidential client is bound to its authentication.
      if (client.method === 'none') await stage.send(attempts.refresh(grant, refresh, how))
    }
  },
}
