import { boundTo } from '../grants/grant.ts'
import type { Grant } from '../kernel/records.ts'
import { newGrantId, type Random, type Secret, sha256 } from '../kernel/secrets.ts'

/**
 * The grant of one machine token. No user has it, so nobody's apps list it, and it ends with its token: nothing piles up.
 *
 * @param now in epoch seconds, `lifetime` in seconds
 */
export function machineGrant(
  random: Random,
  asked: Pick<Grant, 'clientId' | 'scopes' | 'resources'>,
  accessToken: Secret,
  now: number,
  lifetime: number,
  jkt?: string,
): Grant {
  const { clientId, scopes, resources } = asked
  const expiresAt = now + lifetime
  return {
    ...{ id: newGrantId(random), origin: 'machine', clientId, scopes, resources },
    ...{ createdAt: now, usedAt: now, expiresAt },
    accessTokens: [
      { hash: sha256(accessToken), scopes, resources, issuedAt: now, expiresAt, ...boundTo(jkt) },
    ],
  }
}
