import type { Reason } from '../oauth-error.ts'

/** What an Authorization header holds: a token, no Bearer credentials at all, or a malformed attempt at them. */
export type BearerToken = { readonly token: string } | { readonly fault: Reason } | undefined

/** b64token, RFC 6750 2.1. */
const BEARER_CREDENTIALS = /^bearer ([A-Za-z0-9\-._~+/]{1,2048}=*)$/i

/**
 * Reads RFC 6750 2.1 credentials. Another scheme is no token here; `Bearer` gone wrong is a fault and never
 * quietly anonymous. Two headers reach this joined by a comma, which no token may hold.
 */
export function bearerToken(authorization: string | undefined): BearerToken {
  if (authorization === undefined || !/(^|,\s*)bearer(\s|,|$)/i.test(authorization)) return undefined
  const token = BEARER_CREDENTIALS.exec(authorization)?.[1]
  return token === undefined ? { fault: 'bearer_malformed' } : { token }
}

/** A `WWW-Authenticate: Bearer` challenge (RFC 6750 3, RFC 9728 5.1); values hold no quotes by construction. */
export function bearerChallenge(attributes: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(attributes).filter(([, value]) => value !== undefined)
  return ['Bearer', pairs.map(([name, value]) => `${name}="${value}"`).join(', ')].join(' ').trim()
}
