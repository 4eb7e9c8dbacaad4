import { boundTo } from '../grants/access-tokens.ts'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import { coarseNetworkOf } from '../limits/caller-network.ts'
import type { Decision, DeviceRequest } from './device-request.ts'

/**
 * The grant of an approved request, whose code is the device code. Its id stays taken for as long as the request is kept:
 * a form that is sent again opens no second one.
 *
 * @param lifetime of the grant, in seconds
 */
export function deviceGrant(
  request: DeviceRequest,
  { subject, scopes, authTime }: Decision,
  now: number,
  lifetime: number,
): Grant {
  const asked = [...request.scopes, ...request.ignoredScopes]
  const withheldScopes = asked.filter((scope) => !scopes.includes(scope))
  return {
    id: request.grantId,
    subject,
    clientId: request.clientId,
    scopes,
    ...(withheldScopes.length === 0 ? undefined : { withheldScopes }),
    resources: request.resources,
    origin: 'device',
    network: request.address && coarseNetworkOf(request.address),
    authTime,
    createdAt: now,
    usedAt: now,
    expiresAt: now + lifetime,
    ticketEndsAt: request.expiresAt + CLOCK_TOLERANCE,
    code: {
      hash: request.codeHash,
      challenge: request.challenge,
      expiresAt: request.endsAt,
      ...boundTo(request.jkt),
    },
    accessTokens: [],
  }
}
