import * as z from 'zod'
import { withRemainingScopes } from '../../clients/client-record.ts'
import type { ServerContext } from '../../feature.ts'
import { CODE_ERRORS, CodeVerifier, verifierMatches } from '../../grants/authorization-code.ts'
import { planOf } from '../../grants/change-grant.ts'
import { type FreshSecrets, firstTokens, type IssuedTokens, type Outcome } from '../../grants/grant.ts'
import { type ArrivedRequest, type GrantTerms, type Retry, retryOf } from '../../grants/grant-terms.ts'
import type { GrantType, TokenRequest } from '../../grants/grant-type.ts'
import { ResourceParameter, readMessage, text } from '../../http/message.ts'
import { defineErrors, OAuthError, ownedBy, withCode } from '../../kernel/oauth-error.ts'
import type { AuthorizationCode, Client, Grant } from '../../kernel/records.ts'
import { narrowedResources } from '../../kernel/resource-indicator.ts'
import {
  newId,
  type Secret,
  type SuccessorKeys,
  sameSecret,
  sha256,
  successorKeys,
} from '../../kernel/secrets.ts'
import type { Stored } from '../../kernel/store.ts'
import { type DeviceCode, parseDeviceCode } from '../../tokens/credential.ts'
import {
  DEVICE_CODE_GRANT,
  type DeviceGrant,
  findDeviceRequest,
  INTERVAL,
  isOfDevice,
  recordId,
} from './device-authorization.ts'

/** RFC 8628 3.4, RFC 7636 4.5, RFC 8707 2.2. */
const DeviceAccessTokenRequest = z.object({
  device_code: text(),
  code_verifier: CodeVerifier.optional(),
  resource: ResourceParameter,
})

export interface DeviceCodeRedeemed {
  /** `device_code_retried`: the answer is repeated, perhaps because it was lost; no new token is issued. */
  readonly type: 'device_code_redeemed' | 'device_code_retried'
  readonly grantId: string
  readonly clientId: string
  /** `late`: the retry window was over, so two callers may have the tokens. Absent unless it is a retry. */
  readonly retried?: Retry | undefined
}

/** Exchanges a device code for the first tokens of its grant, once its user has approved. */
export function deviceCodeGrantType(device: DeviceGrant, selfRegistered: boolean): GrantType {
  const { server } = device
  const keys = successorKeys(server.secret)
  return {
    name: DEVICE_CODE_GRANT,
    message: DeviceAccessTokenRequest,
    credential: 'device_code',
    // Whether the request has a grant already is not known, so both are read in parallel.
    transientOf(deviceCode) {
      const code = parseDeviceCode(deviceCode)
      return code && recordId(code.requestId)
    },
    selfRegistered,
    lifetimes: { grant: device.grantLifetime },
    async exchange(request) {
      const redemption = redemptionOf(server, keys, request)
      // A request has a grant as soon as its user approves it.
      const stored = request.stored ?? (await pendingPoll(device, redemption, request))
      const outcome = redeemDeviceCode(stored.value, redemption, request.now, server.terms)
      const retried = outcome.kind === 'ended' ? undefined : outcome.result.retried
      const type = retried === undefined ? 'device_code_redeemed' : 'device_code_retried'
      const ids = { grantId: stored.value.id, clientId: request.client.clientId }
      const event = { type, ...ids, ...(retried && { retried }) } satisfies DeviceCodeRedeemed
      return planOf(server, stored, outcome, request, [event])
    },
  }
}

function redemptionOf(
  server: ServerContext,
  keys: SuccessorKeys,
  { client, form, arrivedAt, jkt }: TokenRequest,
): DeviceRedemption {
  const { device_code, code_verifier, resource } = readMessage(DeviceAccessTokenRequest, form)
  const code = parseDeviceCode(device_code)
  if (code === undefined) throw new OAuthError(DEVICE_CODE_ERRORS.device_code_unknown)
  return {
    ...{ code, client, arrivedAt, jkt },
    text: device_code,
    verifier: code_verifier,
    resources: resource,
    knownResources: server.resources,
    salt: newId(server.random),
    keys,
  }
}

/**
 * The answer to a poll whose request has no grant (RFC 8628 3.5). It writes nothing.
 *
 * @returns the grant, if the user has approved since it was looked for
 * @throws OAuthError if there is none
 */
async function pendingPoll(
  { server: { store, limiter }, transients }: DeviceGrant,
  { code, text, client, jkt: proven }: DeviceRedemption,
  { now, transient }: TokenRequest,
): Promise<Stored<Grant>> {
  const requested = await findDeviceRequest(transients, code.requestId, transient)
  if (requested === undefined || !isOfDevice(requested, text, code.grantId))
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_unknown)
  const { clientId, decision, endsAt, jkt } = requested
  if (clientId !== client.clientId)
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_client, undefined, ownedBy(requested))
  if (jkt !== undefined && jkt !== proven) throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_key)
  if (decision?.scopes.length === 0) throw new OAuthError(DEVICE_CODE_ERRORS.device_denied)
  const approved = decision && (await store.grants.find(code.grantId))
  if (approved !== undefined) return approved
  if (now >= endsAt) throw new OAuthError(DEVICE_CODE_ERRORS.device_code_expired)
  // Only an open request makes its device slow down. After the decision, the device must get the answer.
  if ((await limiter.take('device_poll', code.requestId)) > 0) throw new SlowDown()
  throw new OAuthError(DEVICE_CODE_ERRORS.authorization_pending, undefined, { interim: true })
}

/** Names the new interval, as clients for GitHub expect. Other clients add five seconds themselves (RFC 8628 3.5). */
class SlowDown extends OAuthError {
  constructor() {
    super(DEVICE_CODE_ERRORS.polled_too_fast, undefined, { interim: true })
  }

  override toJSON(): { error: string; error_description: string; interval: number } {
    return { ...super.toJSON(), interval: INTERVAL + 5 }
  }
}

export const DEVICE_CODE_ERRORS = defineErrors({
  ...withCode('invalid_grant', {
    device_code_unknown: 'The device code is not valid. Begin again',
    device_code_of_other_client: 'The device code is not valid. Begin again',
    device_code_replayed: 'The device code was used before, so its tokens are revoked. Begin again',
    device_retry_key_gone: 'The device code was used before, and its answer cannot be repeated. Begin again',
    device_retry_differs:
      'The device code was used a moment ago for another resource. Repeat the request unchanged',
  }),
  device_code_expired: ['expired_token', 'The device code has expired. Begin again'],
  device_code_of_other_key: [
    'invalid_dpop_proof',
    'The device code is bound to the key of its request. Send a DPoP proof of this key',
  ],
  authorization_pending: [
    'authorization_pending',
    'The user has not decided yet. Poll again after the interval',
  ],
  polled_too_fast: ['slow_down', 'The client polls too fast. Wait for the interval of this answer'],
  device_denied: ['access_denied', 'The user denied access', 400],
})

export interface DeviceRedemption extends ArrivedRequest {
  readonly code: DeviceCode
  /** The code as it was sent. */
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
 * Exchanges the device code of an approved request (RFC 8628 3.4). Answers get lost in bad networks, so the tokens are derived
 * from the code: the next poll gets the same tokens.
 *
 * @throws OAuthError when nothing is consumed
 */
export function redeemDeviceCode(
  grant: Grant,
  request: DeviceRedemption,
  now: number,
  terms: GrantTerms,
): Outcome<IssuedTokens> {
  const { code } = grant
  if (code === undefined || !sameSecret(sha256(request.text), code.hash))
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_unknown)
  if (request.client.clientId !== grant.clientId)
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_client, undefined, ownedBy(grant))
  // A caller without the key cannot use the code and must not end the grant either.
  if (code.jkt !== undefined && code.jkt !== request.jkt)
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_key)
  const { redeemedAt } = code
  // The refresh token of the first answer is used once it is rotated, or once a client that keeps it used it.
  const unused = grant.usedAt === redeemedAt && (grant.refresh?.generation ?? 0) === 0
  const answer = redeemedAt === undefined ? undefined : { givenAt: redeemedAt, unused }
  const retried = answer && retryOf(answer, request, terms)
  if (redeemedAt !== undefined && retried === undefined)
    return { kind: 'ended', refusal: DEVICE_CODE_ERRORS.device_code_replayed }
  if (redeemedAt === undefined && now >= code.expiresAt)
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_expired)
  if (code.challenge !== undefined && request.verifier === undefined)
    throw new OAuthError(CODE_ERRORS.code_verifier_missing)
  const resources = narrowedResources(request.resources, grant.resources, request.knownResources)
  if (!verifierMatches(request.verifier, code.challenge))
    return { kind: 'ended', refusal: CODE_ERRORS.code_verifier_mismatch }
  const narrowed = { ...request, resources }
  return retried === undefined
    ? redeem(grant, code, narrowed, now, terms)
    : redeemAgain(grant, code, narrowed, retried, now)
}

function redeem(
  grant: Grant,
  code: AuthorizationCode,
  redemption: DeviceRedemption,
  now: number,
  terms: GrantTerms,
): Outcome<IssuedTokens> {
  const { salt, keys, client, resources, jkt } = redemption
  const fresh = freshOf(keys.derive(redemption.code.secret + salt))
  const remaining = withRemainingScopes(grant, client)
  const { tokens, issued } = firstTokens(remaining, { client, fresh, resources, jkt }, now, terms)
  const spent = { ...code, redeemedAt: now, salt, keyId: keys.keyId }
  return { kind: 'changed', grant: { ...remaining, ...tokens, code: spent }, result: issued }
}

const ANOTHER_KEY = 'The device code was used a moment ago with another key. Use the same key'

/** The same tokens again. A token that was revoked stays revoked: `expires_in` 0 makes the client refresh at once. */
function redeemAgain(
  grant: Grant,
  { salt = '', keyId }: AuthorizationCode,
  redemption: DeviceRedemption,
  retried: Retry,
  now: number,
): Outcome<IssuedTokens> {
  const { refresh, scopes } = grant
  const { keys, resources, jkt } = redemption
  const text = redemption.code.secret + salt
  const derived = keys.deriveAgain(text, keyId)
  if (derived === undefined) throw new OAuthError(DEVICE_CODE_ERRORS.device_retry_key_gone)
  const { accessToken, refreshToken, ...fresh } = freshOf(derived)
  // Releases without a key derived the family from the code.
  const family = keyId === undefined ? familyOf(text) : fresh.family
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

/** The first secrets. Deriving them needs the device code, the salt of the record and the key. */
function freshOf([accessToken, refreshToken]: readonly [Secret, Secret]): FreshSecrets {
  return { accessToken, refreshToken, family: familyOf(refreshToken) }
}

function familyOf(text: string): string {
  return sha256(`family\n${text}`).slice(0, 22)
}
