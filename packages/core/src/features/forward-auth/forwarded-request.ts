import * as z from 'zod'
import type { ServerContext } from '../../feature.ts'
import { type HttpRequest, header } from '../../http/http.ts'
import { type Parameters, pairsOf, parameters, readMessage, text } from '../../http/message.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import { parseScope, type ScopeCatalogue } from '../../kernel/scope.ts'
import type { RequiredSignIn } from '../../resource/access.ts'
import { checkedSignIn } from '../../resource/guard.ts'
import type { ProofOfPossession } from '../../tokens/proof-of-possession.ts'

export const FORWARD_AUTH_ERRORS = defineErrors({
  ...withCode('insufficient_scope', {
    verify_scope_unknown:
      'The gateway requires a scope that does not exist here. Ask its operator to correct it',
    verify_sign_in_unknown:
      'The gateway requires a sign-in that does not exist here. Ask its operator to correct acr_values or max_age',
  }),
  gateway_names_no_request: [
    'invalid_dpop_proof',
    'The gateway does not forward the method and URI, so the DPoP proof cannot be verified. Ask its operator to correct this',
  ],
})

const ScopeDemand = z.object({ scope: text().optional() })
const seconds = z.string().regex(/^[0-9]{1,9}$/)
const SignInDemand = z.object({ acr_values: text().optional(), max_age: seconds.optional() })

/** @throws OAuthError 403 for what does not exist: nginx treats every status other than 401 and 403 as an error */
export function demandsOfGateway(query: string, { scopes, authenticationClasses }: ServerContext) {
  const sent = parameters(query)
  // Elsewhere a parameter without a value is absent. Here that would drop the demand of a gateway whose variable is empty.
  for (const [name, value] of pairsOf(query)) {
    if (value !== '') continue
    if (Object.hasOwn(ScopeDemand.shape, name)) throw new OAuthError(FORWARD_AUTH_ERRORS.verify_scope_unknown)
    if (Object.hasOwn(SignInDemand.shape, name))
      throw new OAuthError(FORWARD_AUTH_ERRORS.verify_sign_in_unknown)
  }
  return {
    scopes: requiredScopes(sent, scopes),
    signIn: requiredSignIn(sent, authenticationClasses.names),
  }
}

function requiredScopes(sent: Parameters, catalogue: ScopeCatalogue): readonly string[] {
  const unknown = FORWARD_AUTH_ERRORS.verify_scope_unknown
  const { scope } = readMessage(ScopeDemand, sent, () => unknown)
  const names = scope === undefined ? [] : parseScope(scope)
  if (names === undefined || !names.every((name) => Object.hasOwn(catalogue, name)))
    throw new OAuthError(unknown)
  return names
}

function requiredSignIn(sent: Parameters, classes: readonly string[]): RequiredSignIn | undefined {
  const unknown = FORWARD_AUTH_ERRORS.verify_sign_in_unknown
  const { acr_values: acr, max_age } = readMessage(SignInDemand, sent, () => unknown)
  if (acr === undefined && max_age === undefined) return undefined
  const maxAge = max_age === undefined ? undefined : Number(max_age)
  try {
    return checkedSignIn(classes, { acr, maxAge })
  } catch (cause) {
    throw new OAuthError(unknown, undefined, { cause })
  }
}

/**
 * Verifies proofs for the request that the gateway forwards, not for the request to this server. The gateway names it in
 * `X-Forwarded-Method` and `X-Forwarded-Uri`; the host comes from the configuration.
 */
export function proofsOfForwarded(proofs: ProofOfPossession): ProofOfPossession {
  return { ...proofs, present: (request) => proofs.present(forwardedRequest(request)) }
}

/** RFC 9110 9.1. Two headers arrive joined by a comma. */
const METHOD = /^[A-Za-z-]+$/
/** RFC 9112 3.2.1. Two headers are joined with a space, and browsers read a backslash as a slash. */
const ORIGIN_FORM = /^\/[^\s#\\]*$/

/** @throws OAuthError if a header is missing, malformed or repeated */
function forwardedRequest(request: HttpRequest): HttpRequest {
  const method = header(request, 'x-forwarded-method') ?? ''
  const uri = header(request, 'x-forwarded-uri') ?? ''
  if (!METHOD.test(method) || !ORIGIN_FORM.test(uri))
    throw new OAuthError(FORWARD_AUTH_ERRORS.gateway_names_no_request)
  const [path = '', ...query] = uri.split('?')
  return { ...request, method, path, query: query.join('?') }
}
