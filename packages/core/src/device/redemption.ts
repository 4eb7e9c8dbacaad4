import { verifierMatches } from '../grants/authorization-code/pkce.ts'
import { CODE_REFUSALS } from '../grants/authorization-code/redemption.ts'
import { type FreshSecrets, firstTokens } from '../grants/first-tokens.ts'
import type { GrantTerms, IssuedTokens, Outcome } from '../grants/grant.ts'
import { mayRetry } from '../grants/retry-window.ts'
import { OAuthError, refusals } from '../kernel/oauth-error.ts'
import type { AuthorizationCode, Client, Grant } from '../kernel/records.ts'
import { narrowedResources } from '../kernel/resource-indicator.ts'
import { type Secret, sameSecret, sha256, twoSecretsOf } from '../kernel/secrets.ts'
import type { Outage } from '../kernel/store-outage.ts'
import type { DeviceCode } from '../tokens/credential.ts'

export const DEVICE_CODE_REFUSALS = refusals({
  device_code_unknown: ['invalid_grant', 'The device code is not valid'],
  device_code_of_other_client: ['invalid_grant', 'The device code is not valid'],
  device_code_expired: ['expired_token', 'The device code has expired; begin again'],
  device_code_replayed: ['invalid_grant', 'The device code was used before; its tokens are revoked'],
  device_code_of_other_key: [
    'invalid_dpop_proof',
    'The request must prove the key with which the device code was asked for',
  ],
  device_retry_differs: ['invalid_grant', 'The device code was used a moment ago for another resource'],
})

export interface DeviceRedemption {
  readonly code: DeviceCode
  /** The whole text of the code, as it was sent. */
  readonly text: string
  readonly client: Client
  readonly verifier: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness, used only by the first redemption. */
  readonly salt: string
  /** The last outage of the store: devices retry when it is over. */
  readonly outage?: Outage | undefined
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
}

/**
 * Exchanges the device code of an approved request (RFC 8628 3.4). Polls run over bad networks, so the tokens are derived
 * from the code: while the retry window is open, a poll whose answer was lost gets the same ones.
 *
 * @throws OAuthError when nothing is consumed
 */
export function redeemDeviceCode(
  grant: Grant,
  request: DeviceRedemption,
  now: number,
  times: GrantTerms,
): Outcome<IssuedTokens> {
  const { code } = grant
  if (code === undefined || !sameSecret(sha256(request.text), code.hash))
    throw new OAuthError(DEVICE_CODE_REFUSALS.device_code_unknown)
  if (request.client.clientId !== grant.clientId)
    throw new OAuthError(DEVICE_CODE_REFUSALS.device_code_of_other_client)
  // Who lacks the key holds a copy that is worth nothing, and must not end the grant by it.
  if (code.jkt !== undefined && code.jkt !== request.jkt)
    throw new OAuthError(DEVICE_CODE_REFUSALS.device_code_of_other_key)
  const { redeemedAt } = code
  if (redeemedAt !== undefined && !mayRetry(redeemedAt, times.refreshRetryWindow, request.outage, now))
    return { kind: 'ended', refusal: DEVICE_CODE_REFUSALS.device_code_replayed }
  if (redeemedAt === undefined && now >= code.expiresAt)
    throw new OAuthError(DEVICE_CODE_REFUSALS.device_code_expired)
  if (code.challenge !== undefined && request.verifier === undefined)
    throw new OAuthError(CODE_REFUSALS.code_verifier_missing)
  const resources = narrowedResources(request.resources, grant.resources, request.knownResources)
  if (!verifierMatches(request.verifier, code.challenge))
    return { kind: 'ended', refusal: CODE_REFUSALS.code_verifier_mismatch }
  return code.salt === undefined
    ? redeem(grant, code, request, resources, now, times)
    : redeemAgain(grant, code.salt, request, resources, now)
}

function redeem(
  grant: Grant,
  code: AuthorizationCode,
  { code: { secret }, client, salt, jkt }: DeviceRedemption,
  resources: readonly string[],
  now: number,
  times: GrantTerms,
): Outcome<IssuedTokens> {
  const derived = derivedSecrets(secret, salt)
  const { tokens, issued } = firstTokens(grant, client, derived, resources, now, times, jkt)
  const spent = { ...code, redeemedAt: now, salt }
  return { kind: 'changed', grant: { ...grant, ...tokens, code: spent }, result: issued }
}

const ANOTHER_KEY = 'The device code was used a moment ago with another key'

/** The same pair. What was revoked since then stays revoked: 0 seconds tell the client to refresh at once. */
function redeemAgain(
  grant: Grant,
  salt: string,
  { code: { secret }, jkt }: DeviceRedemption,
  resources: readonly string[],
  now: number,
): Outcome<IssuedTokens> {
  const { accessToken, refreshToken, family } = derivedSecrets(secret, salt)
  const access = grant.accessTokens.find(({ hash }) => hash === sha256(accessToken))
  if (access !== undefined && access.resources.join(' ') !== resources.join(' '))
    throw new OAuthError(DEVICE_CODE_REFUSALS.device_retry_differs)
  if (access !== undefined && access.jkt !== jkt)
    throw new OAuthError(DEVICE_CODE_REFUSALS.device_retry_differs, ANOTHER_KEY)
  const expiresIn = Math.max((access?.expiresAt ?? now) - now, 0)
  const refresh = grant.refresh && { family, generation: 0, secret: refreshToken }
  return {
    kind: 'unchanged',
    grant,
    result: { accessToken, refreshToken: refresh, scopes: grant.scopes, resources, expiresIn, jkt },
  }
}

/** Each of fixed length. A device code that somebody finds later is worth nothing without the salt, which only the store has. */
function derivedSecrets(secret: Secret, salt: string): FreshSecrets {
  const [accessToken, refreshToken] = twoSecretsOf(secret + salt)
  return { accessToken, refreshToken, family: sha256(`family\n${secret}${salt}`).slice(0, 22) }
}
