/** The authorization scheme of an access token: of one that is bound to a key (RFC 9449 5), or of any other (RFC 6750 4). */
export type TokenType = 'Bearer' | 'DPoP'

/** @param jkt the thumbprint of the key that the token is bound to */
export function tokenType(jkt: string | undefined): TokenType {
  return jkt === undefined ? 'Bearer' : 'DPoP'
}
