import type { Check } from './check.ts'

/** A code or a refresh token belongs to the client that got it (RFC 6749 sections 4.1.3 and 6). */
export const otherClient: Check = {
  id: 'other-client',
  rounds: 2,
  cost: { grants: 2, requests: 6 },
  missing: ({ clients }) => (clients.length > 1 ? undefined : 'it needs a second --client'),
  async round(stage) {
    const [, client] = stage.bench.clients
    const how = { process: 'thief', client, forbidden: 'another client' }
    if (stage.bench.ways.authorize !== undefined)
      await stage.send(stage.attempts.redeem(await stage.approve(), how))
    const grant = await stage.hold()
    await stage.send(stage.attempts.refresh(grant, grant.tokens.refresh, how))
  },
}
