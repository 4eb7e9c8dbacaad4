import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'

export const BINDING_ERRORS = defineErrors({
  token_without_proof: ['invalid_token', 'The access token is bound to a key, and needs a proof of it'],
  token_not_bound: ['invalid_token', 'The access token is bound to no key: send it as Bearer'],
  token_of_other_key: ['invalid_token', 'The access token is bound to another key'],
  token_must_be_bound: ['invalid_token', 'Only access tokens that are bound to a key are accepted here'],
})

/**
 * That a token is used with the key it is bound to (RFC 9449 7.1). A guard that knows no proofs refuses bound tokens: taken
 * as bearer tokens, they would be good for a thief.
 *
 * @param thumbprint of the key that the request names; absent without a proof
 * @param required whether unbound tokens are refused
 * @throws OAuthError `invalid_token`
 */
export function requireBinding(
  { jkt }: { readonly jkt?: string | undefined },
  thumbprint: string | undefined,
  required: boolean,
): void {
  if (jkt !== undefined && thumbprint === undefined) throw new OAuthError(BINDING_ERRORS.token_without_proof)
  if (jkt === undefined && thumbprint !== undefined) throw new OAuthError(BINDING_ERRORS.token_not_bound)
  if (jkt !== thumbprint) throw new OAuthError(BINDING_ERRORS.token_of_other_key)
  if (required && jkt === undefined) throw new OAuthError(BINDING_ERRORS.token_must_be_bound)
}
