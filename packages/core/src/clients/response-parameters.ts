import { OAuthError } from '../kernel/oauth-error.ts'
import { REDIRECT_URI_ERRORS } from './redirect-uri-refusal.ts'

/** The parameters of a response (RFC 6749 4.1.2, RFC 9207 2), also as lenient parsers read them: `CODE`, `code[]`. */
const RESPONSE_PARAMETER = /^\s*(code|state|iss|error(_description|_uri)?)\s*(\[|$)/i

/**
 * Refuses a query that a client could mix up with the authorization response: of two parameters with one name, some
 * parsers take the first.
 *
 * @throws OAuthError `invalid_redirect_uri`
 */
export function refuseResponseParameters(uris: readonly string[]): void {
  const index = uris.findIndex((uri) => parameterNames(uri).some((name) => RESPONSE_PARAMETER.test(name)))
  if (index < 0) return
  const fault = `redirect_uris[${index}]: a parameter of its query would be mixed up with the answer, such as code`
  throw new OAuthError(REDIRECT_URI_ERRORS.redirect_uri_refused, fault)
}

/** Decoded. Semicolons separate too, since they do for some parsers. */
function parameterNames(uri: string): string[] {
  const query = uri.replace(/[^?]*\??/, '')
  return [...new URLSearchParams(query.replaceAll(';', '&')).keys()]
}
