import * as z from 'zod'
import { CodeVerifier } from '../../grants/authorization-code.ts'
import {
  type DecoupledCodeErrors,
  type DecoupledCodes,
  decoupledGrantType,
} from '../../grants/decoupled-code.ts'
import type { Retry } from '../../grants/grant-terms.ts'
import type { GrantType } from '../../grants/grant-type.ts'
import { ResourceParameter, readMessage, text } from '../../http/message.ts'
import { defineErrors, withCode } from '../../kernel/oauth-error.ts'
import { parseDecoupledCode } from '../../tokens/credential.ts'
import { DEVICE_CODE_GRANT, type DeviceGrant } from './device-authorization.ts'

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
  const codes = {
    ...device,
    errors: CODE_ERRORS,
    pollLimit: 'device_poll',
    parse: (code) => parseDecoupledCode(code, 'gkd'),
    read(form) {
      const { device_code, code_verifier, resource } = readMessage(DeviceAccessTokenRequest, form)
      return { text: device_code, verifier: code_verifier, resources: resource }
    },
    redeemed(ids, retried) {
      const type = retried === undefined ? 'device_code_redeemed' : 'device_code_retried'
      return { type, ...ids, ...(retried && { retried }) } satisfies DeviceCodeRedeemed
    },
  } satisfies DecoupledCodes
  return decoupledGrantType(codes, {
    name: DEVICE_CODE_GRANT,
    message: DeviceAccessTokenRequest,
    credential: 'device_code',
    selfRegistered,
    lifetimes: { grant: device.grantLifetime },
  })
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

/** The same by the names that every flow has. */
export const CODE_ERRORS: DecoupledCodeErrors = {
  unknown: DEVICE_CODE_ERRORS.device_code_unknown,
  ofOtherClient: DEVICE_CODE_ERRORS.device_code_of_other_client,
  ofOtherKey: DEVICE_CODE_ERRORS.device_code_of_other_key,
  expired: DEVICE_CODE_ERRORS.device_code_expired,
  pending: DEVICE_CODE_ERRORS.authorization_pending,
  polledTooFast: DEVICE_CODE_ERRORS.polled_too_fast,
  denied: DEVICE_CODE_ERRORS.device_denied,
  replayed: DEVICE_CODE_ERRORS.device_code_replayed,
  retryKeyGone: DEVICE_CODE_ERRORS.device_retry_key_gone,
  retryDiffers: DEVICE_CODE_ERRORS.device_retry_differs,
  anotherKey: 'The device code was used a moment ago with another key. Use the same key',
}
