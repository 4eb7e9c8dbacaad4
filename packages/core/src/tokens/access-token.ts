import type { Grant } from '../kernel/records.ts'
import { type GrantId, type Hash, sha256 } from '../kernel/secrets.ts'
import { type GrantSecret, grantIdOf } from './credential.ts'

/** A presented access token: its grant, and the hash under which the grant stores it. */
export interface PresentedToken {
  readonly grantId: GrantId
  readonly hash: Hash
}

/**
 * The format of access tokens. Every format leads to a grant and a hash stored in it, so a token of any format can be
 * revoked.
 */
export interface AccessTokenFormat {
  /** The token as the client gets it. `grant` already stores the hash of its secret. */
  write(token: GrantSecret, grant: Grant): string | Promise<string>
  /** What a presented token leads to, or `undefined` for another format. The grant decides whether it is live. */
  read(text: string): PresentedToken | undefined | Promise<PresentedToken | undefined>
  /** The grant that a presented text names, before anything of it is checked: its record can be read meanwhile. */
  grantIdOf(text: string): GrantId | undefined
  /** The maximum lifetime of a signed token for these resources, in seconds; `undefined` if such a token is opaque. */
  longest?(resources: readonly string[]): number | undefined
}

/** The lifetime of a new token in seconds, and the mark of a signed one. @param most what the server allows */
export function formOf(
  resources: readonly string[],
  most: number,
  longest: AccessTokenFormat['longest'],
): { readonly lifetime: number; readonly mark?: { readonly signed: true } } {
  const limit = longest?.(resources)
  return limit === undefined
    ? { lifetime: most }
    : { lifetime: Math.min(most, limit), mark: { signed: true } }
}

/** The method alone: a format may be an instance of a class. */
export function longestOf(format: AccessTokenFormat): NonNullable<AccessTokenFormat['longest']> {
  return (resources) => format.longest?.(resources)
}

const OPAQUE = /^gka_([\w-]{22})\.([\w-]{43})$/

/**
 * `gka_<grant id>.<secret>`: only this server can read it.
 *
 * @example
 * ```ts
 * import { opaqueAccessTokens } from '@grantkit/core/feature'
 *
 * // Whether a token of a log was one of this server; it need not be alive.
 * export const isOurs = (token: string) => opaqueAccessTokens.read(token) !== undefined
 * ```
 */
export const opaqueAccessTokens = {
  write: ({ grantId, secret }: GrantSecret): string => `gka_${grantId}.${secret}`,
  read(text: string): PresentedToken | undefined {
    const [, grantId, secret] = OPAQUE.exec(text) ?? []
    if (grantId === undefined || secret === undefined) return undefined
    return { grantId: grantId as GrantId, hash: sha256(secret) }
  },
  grantIdOf,
} satisfies AccessTokenFormat

/** The authorization scheme of an access token: of one that is bound to a key (RFC 9449 5), or of any other (RFC 6750 4). */
export type TokenType = 'Bearer' | 'DPoP'

/** @param jkt the thumbprint of the key that the token is bound to */
export function tokenType(jkt: string | undefined): TokenType {
  return jkt === undefined ? 'Bearer' : 'DPoP'
}
