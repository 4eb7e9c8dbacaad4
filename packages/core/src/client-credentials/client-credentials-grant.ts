import type { AccessTokenState, Grant } from '../kernel/records.ts'
import { newGrantId, type Random } from '../kernel/secrets.ts'

/**
 * The grant of one machine token. No user has it, so nobody's apps list it, and it ends with its token: nothing piles up.
 *
 * @param now in epoch seconds, `lifetime` in seconds
 */
export function clientCredentialsGrant(
  random: Random,
  asked: Pick<Grant, 'clientId' | 'scopes' | 'resources'>,
  token: Pick<AccessTokenState, 'hash' | 'signed' | 'jkt'>,
  now: number,
  lifetime: number,
): Grant {
  const { clientId, scopes, resources } = asked
  const expiresAt = now + lifetime
  return {
    ...{ id: newGrantId(random), origin: 'machine', clientId, scopes, resources },
    ...{ createdAt: now, usedAt: now, expiresAt },
    accessTokens: [{ ...token, scopes, resources, issuedAt: now, expiresAt }],
  }
}
