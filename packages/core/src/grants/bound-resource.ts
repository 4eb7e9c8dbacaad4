import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { audienceIncludes } from '../kernel/resource-indicator.ts'

export const BOUND_RESOURCE_ERRORS = defineErrors({
  resource_needs_proof: [
    'invalid_dpop_proof',
    'A token for this resource needs a DPoP proof; name another resource, or prove a key',
  ],
})

/**
 * That a new token which such a resource would take is bound to a key (RFC 9728 2, `dpop_bound_access_tokens_required`).
 *
 * @param resources those of the token; empty means every resource of the server
 * @param boundOnly the resources that take no other token than a bound one
 * @param jkt the thumbprint of the key that the request proves
 * @throws OAuthError `invalid_dpop_proof`, before anything is consumed
 */
export function requireKeyFor(
  resources: readonly string[],
  boundOnly: readonly string[],
  jkt: string | undefined,
): void {
  if (jkt === undefined && boundOnly.some((name) => audienceIncludes(resources, name)))
    throw new OAuthError(BOUND_RESOURCE_ERRORS.resource_needs_proof)
}
