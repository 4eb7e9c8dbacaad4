import { type HttpRequest, header } from '../http/http.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { ProofOfPossession } from '../tokens/proof-of-possession.ts'

export const FORWARDED_ERRORS = defineErrors({
  gateway_names_no_request: [
    'invalid_dpop_proof',
    'A DPoP proof cannot be checked here: the gateway does not say which request it is for',
  ],
})

/** RFC 9110 9.1. Two headers arrive joined by a comma. */
const METHOD = /^[A-Za-z-]+$/
/** RFC 9112 3.2.1, as a gateway got it. A space stands between two headers, and browsers read a backslash as a slash. */
const ORIGIN_FORM = /^\/[^\s#\\]*$/

/**
 * The proofs of the callers of a gateway: each is for their request, not for the question. The gateway names that in
 * `X-Forwarded-Method` and `X-Forwarded-Uri`; the host is that of the configuration.
 */
export function proofsOfCallers(proofs: ProofOfPossession): ProofOfPossession {
  return { ...proofs, present: (question) => proofs.present(forwardedRequest(question)) }
}

/** @throws OAuthError where the gateway does not say it, or somebody else says it too */
function forwardedRequest(question: HttpRequest): HttpRequest {
  const method = header(question, 'x-forwarded-method') ?? ''
  const uri = header(question, 'x-forwarded-uri') ?? ''
  if (!METHOD.test(method) || !ORIGIN_FORM.test(uri))
    throw new OAuthError(FORWARDED_ERRORS.gateway_names_no_request)
  const [path = '', ...query] = uri.split('?')
  return { ...question, method, path, query: query.join('?') }
}
