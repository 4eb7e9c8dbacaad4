import * as z from 'zod'
import { changeGrant, type PrefetchedGrant } from '../grants/change-grant.ts'
import type { Retry } from '../grants/grant-terms.ts'
import type { Exchanged, GrantType, TokenRequest } from '../grants/grant-type.ts'
import { CodeVerifier } from '../grants/pkce.ts'
import { ResourceParameter, readMessage, text } from '../http/message.ts'
import { defineErrors, OAuthError, ownedBy } from '../kernel/oauth-error.ts'
import { newId } from '../kernel/secrets.ts'
import { parseDeviceCode } from '../tokens/credential.ts'
import { DEVICE_CODE_ERRORS, type DeviceRedemption, redeemDeviceCode } from './device-code.ts'
import { DEVICE_CODE_GRANT, type DeviceContext, INTERVAL } from './device-context.ts'
import { findDeviceRequest, isOfDevice, recordId } from './device-request.ts'

export const POLL_ERRORS = defineErrors({
  authorization_pending: [
    'authorization_pending',
    'The user has not decided yet. Poll again after the interval',
  ],
  polled_too_fast: ['slow_down', 'The client polls too fast. Wait for the interval of this answer'],
  device_denied: ['access_denied', 'The user denied access', 400],
})

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
export function deviceCodeGrantType(context: DeviceContext): GrantType {
  return {
    name: DEVICE_CODE_GRANT,
    message: DeviceAccessTokenRequest,
    credential: 'device_code',
    transientOf: requestRecordOf,
    selfRegistered: context.selfRegistered,
    step: 'code_redeemed',
    lifetimes: { grant: context.lifetimes.deviceGrant },
    exchange: (request) => exchangeDeviceCode(context, request),
  }
}

/** Whether the request has a grant already is not known, so both are read in parallel. */
function requestRecordOf(deviceCode: string): string | undefined {
  const code = parseDeviceCode(deviceCode)
  return code && recordId(code.requestId)
}

async function exchangeDeviceCode(context: DeviceContext, request: TokenRequest): Promise<Exchanged> {
  const { prefetched } = request
  const redemption = redemptionOf(context, request)
  const redeem = (read?: PrefetchedGrant) => redeemAtOnce(context, redemption, request, read)
  // A request has a grant as soon as its user approves it.
  const changed = (await redeem(prefetched)) ?? (await pendingPoll(context, redemption, prefetched, redeem))
  const { grant, result } = changed
  const { retried } = result
  const type = retried === undefined ? 'device_code_redeemed' : 'device_code_retried'
  const ids = { grantId: grant.id, clientId: request.client.clientId }
  context.server.emit({ type, ...ids, ...(retried && { retried }) } satisfies DeviceCodeRedeemed)
  return { grant, issued: result }
}

function redemptionOf(
  { server, keys }: DeviceContext,
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

/** @returns `undefined` if the request is not approved or does not exist */
function redeemAtOnce(
  { server }: DeviceContext,
  redemption: DeviceRedemption,
  { assertCanRespond, prepareResponse }: Pick<TokenRequest, 'assertCanRespond' | 'prepareResponse'>,
  prefetched?: PrefetchedGrant,
) {
  const { client, code } = redemption
  return changeGrant(
    server,
    code.grantId,
    (grant) => {
      assertCanRespond(client, grant)
      return prepareResponse(redeemDeviceCode(grant, redemption, server.now(), server.terms))
    },
    prefetched,
  )
}

/**
 * The answer to a poll whose request has no grant (RFC 8628 3.5). It writes nothing.
 *
 * @param redeem reads the grant again: the user may have approved since the first read
 * @throws OAuthError unless that finds a grant
 */
async function pendingPoll<Redeemed>(
  context: DeviceContext,
  { code, text, client, jkt: proven }: DeviceRedemption,
  prefetched: PrefetchedGrant | undefined,
  redeem: () => Promise<Redeemed | undefined>,
): Promise<Redeemed> {
  const found = await findDeviceRequest(context.transients, code.requestId, prefetched?.transient)
  if (found === undefined || !isOfDevice(found.request, text, code.grantId))
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_unknown)
  const { clientId, decision, endsAt, jkt } = found.request
  if (clientId !== client.clientId)
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_client, undefined, ownedBy(found.request))
  if (jkt !== undefined && jkt !== proven) throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_key)
  if (decision?.scopes.length === 0) throw new OAuthError(POLL_ERRORS.device_denied)
  const redeemed = decision && (await redeem())
  if (redeemed !== undefined) return redeemed
  if (context.server.now() >= endsAt) throw new OAuthError(DEVICE_CODE_ERRORS.device_code_expired)
  throw await pending(context, code.requestId)
}

/** Only an open request makes its device slow down. After the decision, the device must get the answer. */
async function pending({ server }: DeviceContext, requestId: string): Promise<OAuthError> {
  const tooFast = (await server.limiter.take('device_poll', requestId)) > 0
  return tooFast
    ? new SlowDown()
    : new OAuthError(POLL_ERRORS.authorization_pending, undefined, { interim: true })
}

/** Names the new interval, as clients for GitHub expect. Other clients add five seconds themselves (RFC 8628 3.5). */
class SlowDown extends OAuthError {
  constructor() {
    super(POLL_ERRORS.polled_too_fast, undefined, { interim: true })
  }

  override toJSON(): { error: string; error_description: string; interval: number } {
    return { ...super.toJSON(), interval: INTERVAL + 5 }
  }
}
