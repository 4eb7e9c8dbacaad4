/** The requests for every target: the same client, the same parameters, the same PKCE pair (RFC 7636 appendix B). */

export const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
export const SCOPES = ['notes:read', 'notes:write']
export const SCOPE = SCOPES.join(' ')
export const SUBJECT = 'alice'

/**
 * The lifetime of a code: a round's thousands of codes are made before its clock runs, which can take more than a
 * minute.
 */
export const CODE_SECONDS = 600

/** A registration request (RFC 7591 2) of a public client. */
export const CLIENT_METADATA = {
  client_name: 'A client of the benchmark',
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: SCOPE,
} as const

/** The query of an authorization request (RFC 6749 4.1.1). */
export function authorizationQuery(clientId: string, extra: Record<string, string> = {}): string {
  return String(
    new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      state: 'af0ifjsldkj',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...extra,
    }),
  )
}
