/** The access token in the Authorization header of a request (RFC 6750 2.1, RFC 9449 7.1). */
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { TokenType } from '../tokens/credential.ts'
import { BEARER_ERRORS } from './challenge.ts'

export const SCHEME_ERRORS = defineErrors({
  token_schemes_mixed: [
    'invalid_request',
    'The request has access tokens of two schemes. Send one Authorization header',
  ],
})

/** The access token of a request, and the scheme it came by. */
interface Credentials {
  readonly scheme: TokenType
  readonly token: string
}

/** RFC 9449 7.1. Its length is checked apart: counting takes twice the time of the rest of the check of a JWT. */
const DPOP_CREDENTIALS = /^dpop ([A-Za-z0-9\-._~+/]+=*)$/i
const MAX_TOKEN_LENGTH = 8192

const names = (scheme: TokenType) => new RegExp(`(^|,\\s*)${scheme}(\\s|,|$)`, 'i')
const NAMES_DPOP = names('DPoP')
const NAMES_BEARER = names('Bearer')

/**
 * Reads the credentials of RFC 6750 2.1 and, at a guard with proofs, of RFC 9449 7.1. A malformed attempt is never
 * anonymous.
 *
 * @returns `undefined` when there is no token
 * @throws OAuthError `invalid_token`, or `invalid_request` for both schemes at once
 */
export function credentialsOf(
  authorization: string | undefined,
  takesProofs: boolean,
): Credentials | undefined {
  if (takesProofs && authorization !== undefined && NAMES_DPOP.test(authorization))
    return { scheme: 'DPoP', token: dpopToken(authorization) }
  const token = bearerToken(authorization)
  return token === undefined ? undefined : { scheme: 'Bearer', token }
}

function dpopToken(authorization: string): string {
  if (NAMES_BEARER.test(authorization)) throw new OAuthError(SCHEME_ERRORS.token_schemes_mixed)
  const token = tokenIn(DPOP_CREDENTIALS.exec(authorization))
  if (token === undefined) throw new OAuthError(BEARER_ERRORS.bearer_malformed)
  return token
}

function tokenIn(credentials: RegExpExecArray | null): string | undefined {
  const token = credentials?.[1]
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH ? token : undefined
}

/** The scheme that a request tries, whether it succeeds or not: the challenge is for this one. */
export function triedScheme(authorization: string | undefined, takesProofs: boolean): TokenType {
  return takesProofs && authorization !== undefined && NAMES_DPOP.test(authorization) ? 'DPoP' : 'Bearer'
}

/** b64token, RFC 6750 2.1. */
const BEARER_CREDENTIALS = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i

/** The scheme `Bearer`, or one of our credentials or a JWT under any scheme. Neither is the base64 of real Basic credentials. */
const MEANT_AS_TOKEN = /(^|,\s*)bearer(\s|,|$)|\bgk[acdpr]_[\w-]{22}\.|\beyJ[\w-]*\.[\w-]/i

/**
 * Reads RFC 6750 2.1 credentials. Other schemes count as no token, unless they carry text in the form of one. Such text, and
 * a malformed `Bearer`, is refused and never treated as anonymous. Two headers arrive joined by a comma, which no token
 * contains.
 *
 * @returns the token, or `undefined` when there is none
 * @throws OAuthError `invalid_token`
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const token = tokenIn(BEARER_CREDENTIALS.exec(authorization))
  if (token === undefined && MEANT_AS_TOKEN.test(authorization))
    throw new OAuthError(BEARER_ERRORS.bearer_malformed)
  return token
}
