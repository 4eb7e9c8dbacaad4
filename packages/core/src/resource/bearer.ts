import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { TokenType } from '../tokens/proof-of-possession.ts'

export const BEARER_ERRORS = defineErrors({
  bearer_missing: ['invalid_token', 'An access token is required'],
  bearer_malformed: ['invalid_token', 'The Authorization header is malformed'],
  bearer_unknown: ['invalid_token', 'The access token is unknown, expired or revoked'],
  bearer_wrong_audience: ['invalid_token', 'The access token was issued for another resource'],
  bearer_subject_gone: ['invalid_token', 'The user of this access token no longer exists'],
  bearer_without_user: ['insufficient_scope', 'This needs the access token of a user'],
  bearer_scope_missing: ['insufficient_scope', 'The access token lacks a scope that this needs'],
})

/** b64token, RFC 6750 2.1. */
const BEARER_CREDENTIALS = /^bearer ([A-Za-z0-9\-._~+/]{1,8192}=*)$/i

/** The scheme `Bearer`, or one of our credentials or a JWT under any scheme. Neither is the base64 of real Basic credentials. */
const MEANT_AS_TOKEN = /(^|,\s*)bearer(\s|,|$)|\bgk[acdr]_[\w-]{22}\.|\beyJ[\w-]*\.[\w-]/i

/**
 * Reads RFC 6750 2.1 credentials. Other schemes count as no token, unless what they carry has the form of one. That, and
 * a malformed `Bearer`, is refused and never treated as anonymous. Two headers arrive joined by a comma, which no token
 * contains.
 *
 * @returns the token, or `undefined` when there is none
 * @throws OAuthError `invalid_token`
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const token = BEARER_CREDENTIALS.exec(authorization)?.[1]
  if (token === undefined && MEANT_AS_TOKEN.test(authorization))
    throw new OAuthError(BEARER_ERRORS.bearer_malformed)
  return token
}

/** A challenge of `WWW-Authenticate` (RFC 9110 11.6.1, RFC 6750 3); values hold no quotes by construction. */
export function challenge(
  scheme: TokenType,
  attributes: Readonly<Record<string, string | undefined>>,
): string {
  const pairs = Object.entries(attributes).filter(([, value]) => value !== undefined)
  return [scheme, pairs.map(([name, value]) => `${name}="${value}"`).join(', ')].join(' ').trim()
}
