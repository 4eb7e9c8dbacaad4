import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { TokenType } from '../tokens/proof-of-possession.ts'
import { BEARER_ERRORS, bearerToken } from './bearer.ts'

export const SCHEME_ERRORS = defineErrors({
  token_schemes_mixed: ['invalid_request', 'The request has tokens of two schemes'],
})

/** The access token of a request, and the scheme it came by. */
export interface Credentials {
  readonly scheme: TokenType
  readonly token: string
}

/** RFC 9449 7.1. */
const DPOP_CREDENTIALS = /^dpop ([A-Za-z0-9\-._~+/]{1,8192}=*)$/i

const names = (scheme: TokenType) => new RegExp(`(^|,\\s*)${scheme}(\\s|,|$)`, 'i')
const NAMES_DPOP = names('DPoP')
const NAMES_BEARER = names('Bearer')

/**
 * Reads the credentials of RFC 6750 2.1 and, at a guard that takes proofs, of RFC 9449 7.1. A malformed attempt is never
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
  const token = DPOP_CREDENTIALS.exec(authorization)?.[1]
  if (token === undefined) throw new OAuthError(BEARER_ERRORS.bearer_malformed)
  return token
}

/** The scheme that a request tries, whether it succeeds or not: the answer speaks of this one. */
export function triedScheme(authorization: string | undefined, takesProofs: boolean): TokenType {
  return takesProofs && authorization !== undefined && NAMES_DPOP.test(authorization) ? 'DPoP' : 'Bearer'
}
