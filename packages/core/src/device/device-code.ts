import { CODE_ERRORS } from '../grants/authorization-code.ts'
import { type FreshSecrets, firstTokens, type IssuedTokens, type Outcome } from '../grants/grant.ts'
import {
  type ArrivedRequest,
  type GivenAnswer,
  type GrantTerms,
  type Retry,
  retryOf,
} from '../grants/grant-terms.ts'
import { verifierMatches } from '../grants/pkce.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { AuthorizationCode, Client, Grant } from '../kernel/records.ts'
import { narrowedResources } from '../kernel/resource-indicator.ts'
import { type Secret, sameSecret, sha256 } from '../kernel/secrets.ts'
import type { SuccessorKeys } from '../kernel/server-secret.ts'
import type { DeviceCode } from '../tokens/credential.ts'

export const DEVICE_CODE_ERRORS = defineErrors({
  device_code_unknown: ['invalid_grant', 'The device code is not valid'],
  device_code_of_other_client: ['invalid_grant', 'The device code is not valid'],
  device_code_expired: ['expired_token', 'The device code has expired; begin again'],
  device_code_replayed: ['invalid_grant', 'The device code was used before; its tokens are revoked'],
  device_code_of_other_key: [
    'invalid_dpop_proof',
    'The request must prove the key with which the device code was asked for',
  ],
  device_retry_key_gone: [
    'invalid_grant',
    'The device code was used before, and its answer cannot be given again; begin again',
  ],
  device_retry_differs: ['invalid_grant', 'The device code was used a moment ago for another resource'],
})

export interface DeviceRedemption extends ArrivedRequest {
  readonly code: DeviceCode
  /** The whole text of the code, as it was sent. */
  readonly text: string
  readonly client: Client
  readonly verifier: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness, used only by the first redemption. */
  readonly salt: string
  readonly keys: SuccessorKeys
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
}

/**
 * Exchanges the device code of an approved request (RFC 8628 3.4). Polls run over bad networks, so the tokens are derived
 * from the code: a poll whose answer was lost gets the same ones.
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
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_unknown)
  if (request.client.clientId !== grant.clientId)
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_client)
  // Who lacks the key holds a copy that is worth nothing, and must not end the grant by it.
  if (code.jkt !== undefined && code.jkt !== request.jkt)
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_key)
  const { redeemedAt } = code
  const retried = redeemedAt === undefined ? undefined : retryOf(answerAt(redeemedAt, grant), request, times)
  if (redeemedAt !== undefined && retried === undefined)
    return { kind: 'ended', refusal: DEVICE_CODE_ERRORS.device_code_replayed }
  if (redeemedAt === undefined && now >= code.expiresAt)
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_expired)
  if (code.challenge !== undefined && request.verifier === undefined)
    throw new OAuthError(CODE_ERRORS.code_verifier_missing)
  const resources = narrowedResources(request.resources, grant.resources, request.knownResources)
  if (!verifierMatches(request.verifier, code.challenge))
    return { kind: 'ended', refusal: CODE_ERRORS.code_verifier_mismatch }
  return retried === undefined
    ? redeem(grant, code, request, resources, now, times)
    : redeemAgain(grant, code, { ...request, resources, retried }, now)
}

/** The first answer to a device code. Its refresh token is used once it is rotated, or once a client that keeps it used it. */
function answerAt(givenAt: number, { refresh, usedAt }: Grant): GivenAnswer {
  return { givenAt, unused: usedAt === givenAt && (refresh?.generation ?? 0) === 0 }
}

function redeem(
  grant: Grant,
  code: AuthorizationCode,
  { code: { secret }, client, salt, keys, jkt }: DeviceRedemption,
  resources: readonly string[],
  now: number,
  times: GrantTerms,
): Outcome<IssuedTokens> {
  const fresh = freshOf(keys.derive(secret + salt))
  const { tokens, issued } = firstTokens(grant, { client, fresh, resources, jkt }, now, times)
  const spent = { ...code, redeemedAt: now, salt, keyId: keys.keyId }
  return { kind: 'changed', grant: { ...grant, ...tokens, code: spent }, result: issued }
}

const ANOTHER_KEY = 'The device code was used a moment ago with another key'

/** The same pair. What was revoked since then stays revoked: 0 seconds tell the client to refresh at once. */
function redeemAgain(
  grant: Grant,
  { salt = '', keyId }: AuthorizationCode,
  { code: { secret }, keys, jkt, resources, retried }: DeviceRedemption & { readonly retried: Retry },
  now: number,
): Outcome<IssuedTokens> {
  const { refresh, scopes } = grant
  const derived = keys.deriveAgain(secret + salt, keyId)
  if (derived === undefined) throw new OAuthError(DEVICE_CODE_ERRORS.device_retry_key_gone)
  const { accessToken, refreshToken, ...fresh } = freshOf(derived)
  // Releases without a key took the family from the code.
  const family = keyId === undefined ? familyOf(secret + salt) : fresh.family
  const access = grant.accessTokens.find(({ hash }) => hash === sha256(accessToken))
  if (access !== undefined && access.resources.join(' ') !== resources.join(' '))
    throw new OAuthError(DEVICE_CODE_ERRORS.device_retry_differs)
  if (access !== undefined && access.jkt !== jkt)
    throw new OAuthError(DEVICE_CODE_ERRORS.device_retry_differs, ANOTHER_KEY)
  const expiresIn = Math.max((access?.expiresAt ?? now) - now, 0)
  const first = refresh && { family, generation: 0, secret: refreshToken }
  const result = { accessToken, refreshToken: first, scopes, resources, expiresIn, jkt, retried }
  return retried === 'late' && refresh !== undefined && refresh.shared === undefined
    ? { kind: 'changed', grant: { ...grant, refresh: { ...refresh, shared: true } }, result }
    : { kind: 'unchanged', grant, result }
}

/** The first secrets, from two that cannot be derived without the device code, the salt of the record and the key. */
function freshOf([accessToken, refreshToken]: readonly [Secret, Secret]): FreshSecrets {
  return { accessToken, refreshToken, family: familyOf(refreshToken) }
}

function familyOf(text: string): string {
  return sha256(`family\n${text}`).slice(0, 22)
}
