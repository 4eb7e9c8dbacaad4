/**
 * A section of the walkthrough; empty without DPoP.
 *
 * @param algorithms of proofs; absent while DPoP is off
 */
export function dpopSection(issuer: string, algorithms: readonly string[] | undefined): string {
  if (algorithms === undefined) return ''
  return `
## Sender-constrained tokens (DPoP)

A token can be bound to a key, so that only the holder of the key can use it (RFC 9449). Send a proof in the header \`DPoP\` with steps 4 and 6,
signed by ${algorithms.map((name) => `\`${name}\``).join(', ')}: \`token_type\` is \`DPoP\` then. Call with \`Authorization: DPoP\` and a proof
that has \`ath\`. \`htu\` is the URL as written on this page. The refresh token of a public client needs a proof of
the same key. \`dpop_jkt\` in step 3 binds the code as well. If an answer is \`use_dpop_nonce\`, send the request again with the
nonce of its \`DPoP-Nonce\` header in the proof; the code or token is still valid. Whether every token must be bound, the protected-resource
metadata says: <${issuer}/.well-known/oauth-protected-resource>, \`dpop_bound_access_tokens_required\`.
`
}

export const PROOF_ERRORS = [
  ['invalid_dpop_proof', 400, 'The proof is missing, malformed or not for this request; 401 at the API'],
  ['use_dpop_nonce', 400, 'Send it again with the nonce of `DPoP-Nonce`; 401 at the API'],
] as const
