import * as z from 'zod'
import { type DecoupledCodes, decoupledGrantType } from '../../grants/decoupled-code.ts'
import type { Retry } from '../../grants/grant-terms.ts'
import type { GrantType } from '../../grants/grant-type.ts'
import { ResourceParameter, readMessage, text } from '../../http/message.ts'
import { defineErrors, withCode } from '../../kernel/oauth-error.ts'
import { parseDecoupledCode } from '../../tokens/credential.ts'
import { CIBA_GRANT } from './backchannel-request.ts'

/** CIBA 10.1, RFC 8707 2.2. */
const BackchannelTokenRequest = z.object({ auth_req_id: text(), resource: ResourceParameter })

export interface AuthReqIdRedeemed {
  /** `auth_req_id_retried`: the answer is repeated, perhaps because it was lost; no new token is issued. */
  readonly type: 'auth_req_id_redeemed' | 'auth_req_id_retried'
  readonly grantId: string
  readonly clientId: string
  /** `late`: the retry window was over, so two callers may have the tokens. Absent unless it is a retry. */
  readonly retried?: Retry | undefined
}

/** Exchanges an `auth_req_id` for the first tokens of its grant, once its user has approved (CIBA 10.1). */
export function backchannelGrantType(
  context: Pick<DecoupledCodes, 'server' | 'transients' | 'kind'>,
  grantLifetime: number,
): GrantType {
  const codes = {
    ...context,
    errors: CODE_ERRORS,
    pollLimit: 'backchannel_poll',
    parse: (code) => parseDecoupledCode(code, 'gkb'),
    read(form) {
      const { auth_req_id, resource } = readMessage(BackchannelTokenRequest, form)
      return { text: auth_req_id, verifier: undefined, resources: resource }
    },
    redeemed(ids, retried) {
      const type = retried === undefined ? 'auth_req_id_redeemed' : 'auth_req_id_retried'
      return { type, ...ids, ...(retried && { retried }) } satisfies AuthReqIdRedeemed
    },
  } satisfies DecoupledCodes
  return decoupledGrantType(codes, {
    name: CIBA_GRANT,
    message: BackchannelTokenRequest,
    credential: 'auth_req_id',
    lifetimes: { grant: grantLifetime },
  })
}

export const AUTH_REQ_ID_ERRORS = defineErrors({
  ...withCode('invalid_grant', {
    auth_req_id_unknown: 'The auth_req_id is not valid. Begin again',
    auth_req_id_of_other_client: 'The auth_req_id is not valid. Begin again',
    auth_req_id_replayed: 'The auth_req_id was used before, so its tokens are revoked. Begin again',
    auth_req_id_retry_key_gone:
      'The auth_req_id was used before, and its answer cannot be repeated. Begin again',
    auth_req_id_retry_differs:
      'The auth_req_id was used a moment ago for another resource. Repeat the request unchanged',
  }),
  auth_req_id_expired: ['expired_token', 'The auth_req_id has expired. Begin again'],
  auth_req_id_of_other_key: [
    'invalid_dpop_proof',
    'The auth_req_id is bound to the key of its request. Send a DPoP proof of this key',
  ],
  backchannel_pending: [
    'authorization_pending',
    'The user has not decided yet. Poll again after the interval',
  ],
  backchannel_polled_too_fast: [
    'slow_down',
    'The client polls too fast. Wait for the interval of this answer',
  ],
  backchannel_denied: ['access_denied', 'The user denied access', 400],
})

const CODE_ERRORS = {
  unknown: AUTH_REQ_ID_ERRORS.auth_req_id_unknown,
  ofOtherClient: AUTH_REQ_ID_ERRORS.auth_req_id_of_other_client,
  ofOtherKey: AUTH_REQ_ID_ERRORS.auth_req_id_of_other_key,
  expired: AUTH_REQ_ID_ERRORS.auth_req_id_expired,
  pending: AUTH_REQ_ID_ERRORS.backchannel_pending,
  polledTooFast: AUTH_REQ_ID_ERRORS.backchannel_polled_too_fast,
  denied: AUTH_REQ_ID_ERRORS.backchannel_denied,
  replayed: AUTH_REQ_ID_ERRORS.auth_req_id_replayed,
  retryKeyGone: AUTH_REQ_ID_ERRORS.auth_req_id_retry_key_gone,
  retryDiffers: AUTH_REQ_ID_ERRORS.auth_req_id_retry_differs,
  anotherKey: 'The auth_req_id was used a moment ago with another key. Use the same key',
}
