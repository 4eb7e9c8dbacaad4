import { z } from 'zod'
import { changeGrant, type PrefetchedGrant } from '../grants/change-grant.ts'
import type { Retry } from '../grants/grant-terms.ts'
import type { AssertCanRespond, Exchanged, GrantType, TokenRequest } from '../grants/grant-type.ts'
import { CodeVerifier } from '../grants/pkce.ts'
import { ResourceParameter, readMessage, text } from '../http/message.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { newId } from '../kernel/secrets.ts'
import { parseDeviceCode } from '../tokens/credential.ts'
import { DEVICE_CODE_GRANT, type DeviceContext } from './device-context.ts'
import { recordId } from './device-request.ts'
import { pendingPoll } from './poll.ts'
import { DEVICE_CODE_ERRORS, type DeviceRedemption, redeemDeviceCode } from './redemption.ts'

/** RFC 8628 3.4, RFC 7636 4.5, RFC 8707 2.2. */
const DeviceAccessTokenRequest = z.object({
  device_code: text(),
  code_verifier: CodeVerifier.optional(),
  resource: ResourceParameter,
})

export interface DeviceCodeRedeemed {
  /** `device_code_retried`: the answer is sent again, perhaps because it was lost; no new token is minted. */
  readonly type: 'device_code_redeemed' | 'device_code_retried'
  readonly grantId: string
  readonly clientId: string
  /** `late`: the retry window was over, so two callers may hold the tokens. Absent unless it is a retry. */
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
    lifetimes: { ...context.times, grant: context.lifetimes.deviceGrant },
    exchange: (client, request) => exchangeDeviceCode(context, client, request),
  }
}

/** Nobody knows before whether the request has a grant, so both are read at once. */
function requestRecordOf(deviceCode: string): string | undefined {
  const code = parseDeviceCode(deviceCode)
  return code && recordId(code.requestId)
}

async function exchangeDeviceCode(
  context: DeviceContext,
  client: Client,
  request: TokenRequest,
): Promise<Exchanged> {
  const { kernel } = context
  const { prefetched, assertCanRespond } = request
  const redemption = redemptionOf(context, client, request)
  const redeem = (read?: PrefetchedGrant) => redeemAtOnce(context, redemption, assertCanRespond, read)
  // A request has a grant as soon as its user approves it.
  const changed = (await redeem(prefetched)) ?? (await pendingPoll(context, redemption, prefetched, redeem))
  const { grant, result } = changed
  const { retried } = result
  const type = retried === undefined ? 'device_code_redeemed' : 'device_code_retried'
  const ids = { grantId: grant.id, clientId: client.clientId }
  kernel.emit({ type, ...ids, ...(retried && { retried }) } satisfies DeviceCodeRedeemed)
  return { grant, issued: result }
}

function redemptionOf(
  { kernel, keys }: DeviceContext,
  client: Client,
  { form, arrivedAt, jkt }: TokenRequest,
): DeviceRedemption {
  const { device_code, code_verifier, resource } = readMessage(DeviceAccessTokenRequest, form)
  const code = parseDeviceCode(device_code)
  if (code === undefined) throw new OAuthError(DEVICE_CODE_ERRORS.device_code_unknown)
  return {
    ...{ code, client, arrivedAt, jkt },
    text: device_code,
    verifier: code_verifier,
    resources: resource,
    knownResources: kernel.resources,
    salt: newId(kernel.random),
    keys,
  }
}

/** @returns `undefined` when nobody has approved, or there was never such a request */
function redeemAtOnce(
  { kernel, times }: DeviceContext,
  redemption: DeviceRedemption,
  assertCanRespond: AssertCanRespond,
  prefetched?: PrefetchedGrant,
) {
  const { client, code } = redemption
  return changeGrant(
    kernel,
    code.grantId,
    (grant) => {
      assertCanRespond(client, grant)
      return redeemDeviceCode(grant, redemption, kernel.now(), times)
    },
    prefetched,
  )
}
