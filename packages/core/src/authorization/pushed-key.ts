import type { HttpRequest } from '../http/http.ts'
import type { Parameters } from '../http/parameters.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { optionalProofKey, type SenderConstraint } from '../tokens/proof-of-possession.ts'

export const PUSHED_KEY_ERRORS = defineErrors({
  pushed_keys_differ: ['invalid_request', 'dpop_jkt names another key than the one that the push proves'],
})

/** A push may prove the key that the code is bound to, instead of naming it (RFC 9449 10.1). @throws OAuthError */
export function boundToProvenKey(
  constraint: SenderConstraint | undefined,
  given: Parameters,
  request: HttpRequest,
  client?: Client,
): Parameters {
  const dpop_jkt = optionalProofKey(constraint, request, client)?.thumbprint
  if (dpop_jkt === undefined) return given
  if (given.dpop_jkt !== undefined && given.dpop_jkt !== dpop_jkt)
    throw new OAuthError(PUSHED_KEY_ERRORS.pushed_keys_differ)
  return { ...given, dpop_jkt }
}
