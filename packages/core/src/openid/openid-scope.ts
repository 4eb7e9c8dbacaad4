/** The scope of OpenID Connect (Core 3.1.2.1): the request asks for an ID token. */
export const OPENID = 'openid'

export function asksForOpenId(scopes: readonly string[]): boolean {
  return scopes.includes(OPENID)
}
