import type { PrefetchedGrant } from '../grants/change-grant.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { type DeviceContext, INTERVAL } from './device-context.ts'
import { findDeviceRequest, isOfDevice } from './device-request.ts'
import { DEVICE_CODE_ERRORS, type DeviceRedemption } from './redemption.ts'

export const POLL_ERRORS = defineErrors({
  authorization_pending: ['authorization_pending', 'The user has not answered yet'],
  polled_too_fast: ['slow_down', 'Ask less often: wait for the interval in this answer'],
  device_denied: ['access_denied', 'The user did not allow access', 400],
})

/**
 * The answer to a poll whose request has no grant (RFC 8628 3.5). It writes nothing.
 *
 * @param redeem reads the grant again: the user may have approved since it was looked for
 * @throws OAuthError unless that finds it
 */
export async function pendingPoll<Redeemed>(
  context: DeviceContext,
  { code, text, client, jkt: proven }: DeviceRedemption,
  prefetched: PrefetchedGrant | undefined,
  redeem: () => Promise<Redeemed | undefined>,
): Promise<Redeemed> {
  const found = await findDeviceRequest(context.transients, code.requestId, prefetched?.transient)
  if (found === undefined || !isOfDevice(found.request, text, code.grantId))
    throw new OAuthError(DEVICE_CODE_ERRORS.device_code_unknown)
  const { clientId, decision, endsAt, jkt } = found.request
  if (clientId !== client.clientId) throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_client)
  if (jkt !== undefined && jkt !== proven) throw new OAuthError(DEVICE_CODE_ERRORS.device_code_of_other_key)
  if (decision?.scopes.length === 0) throw new OAuthError(POLL_ERRORS.device_denied)
  const redeemed = decision && (await redeem())
  if (redeemed !== undefined) return redeemed
  if (context.kernel.now() >= endsAt) throw new OAuthError(DEVICE_CODE_ERRORS.device_code_expired)
  throw await pending(context, code.requestId)
}

/** Only a request that nobody has answered slows its device down: after that, the answer must reach it. */
async function pending({ limiter }: DeviceContext, requestId: string): Promise<OAuthError> {
  const tooFast = (await limiter.take('device_poll', requestId)) > 0
  return tooFast
    ? new SlowDown()
    : new OAuthError(POLL_ERRORS.authorization_pending, undefined, { interim: true })
}

/** Names the interval from now on, as clients of GitHub expect it. Others add five seconds themselves (RFC 8628 3.5). */
class SlowDown extends OAuthError {
  constructor() {
    super(POLL_ERRORS.polled_too_fast, undefined, { interim: true })
  }

  override toJSON(): { error: string; error_description: string; interval: number } {
    return { ...super.toJSON(), interval: INTERVAL + 5 }
  }
}
