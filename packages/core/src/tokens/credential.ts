import type { UserClaims } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import { type GrantId, type Hash, type Secret, sha256 } from '../kernel/secrets.ts'

/**
 * The text of a credential and its parts. Each names its grant, which decides whether it is valid, so checking one reads one
 * record. The prefixes let secret scanners find and identify leaked credentials.
 *
 * - `gkc_<grant id>.<secret>`: authorization code
 * - `gka_<grant id>.<secret>`: access token
 * - `gkb_<grant id>.<request id>.<secret>`: `auth_req_id` of backchannel authentication
 * - `gkd_<grant id>.<request id>.<secret>`: device code
 * - `gkp_<grant id>.<secret><checksum>`: personal access token
 * - `gkr_<grant id>.<family>.<generation>.<secret>`: refresh token
 */
export interface GrantSecret {
  readonly grantId: GrantId
  readonly secret: Secret
}

export interface RefreshToken extends GrantSecret {
  readonly family: string
  /** The number of rotations before it. */
  readonly generation: number
}

export interface DecoupledCode extends GrantSecret {
  /** Identifies the request until its user answers. */
  readonly requestId: string
}

const CODE = /^gkc_([\w-]{22})\.([\w-]{43})$/
const DECOUPLED_CODE = /^(gk[bd])_([\w-]{22})\.([\w-]{22})\.([\w-]{43})$/
const REFRESH_TOKEN = /^gkr_([\w-]{22})\.([\w-]{22})\.(0|[1-9][0-9]{0,8})\.([\w-]{43})$/

export function formatCode({ grantId, secret }: GrantSecret): string {
  return `gkc_${grantId}.${secret}`
}

type DecoupledPrefix = 'gkb' | 'gkd'

export function formatDecoupledCode(
  prefix: DecoupledPrefix,
  { grantId, requestId, secret }: DecoupledCode,
): string {
  return `${prefix}_${grantId}.${requestId}.${secret}`
}

export function formatRefreshToken({ grantId, family, generation, secret }: RefreshToken): string {
  return `gkr_${grantId}.${family}.${generation}.${secret}`
}

/** @param pattern with the grant id and the secret as its groups */
function grantSecretIn(text: string, pattern: RegExp): GrantSecret | undefined {
  const found = pattern.exec(text)
  return found === null ? undefined : { grantId: found[1] as GrantId, secret: found[2] as Secret }
}

export function parseCode(text: string): GrantSecret | undefined {
  return grantSecretIn(text, CODE)
}

/** @param expected the only prefix that is read. Default: each of both */
export function parseDecoupledCode(text: string, expected?: DecoupledPrefix): DecoupledCode | undefined {
  const [, prefix, grantId, requestId = '', secret] = DECOUPLED_CODE.exec(text) ?? []
  if (prefix === undefined || prefix !== (expected ?? prefix)) return undefined
  return { grantId: grantId as GrantId, requestId, secret: secret as Secret }
}

export function parseRefreshToken(text: string): RefreshToken | undefined {
  const found = REFRESH_TOKEN.exec(text)
  if (found === null) return undefined
  return {
    grantId: found[1] as GrantId,
    family: found[2] as string,
    generation: Number(found[3]),
    secret: found[4] as Secret,
  }
}

/** The last six characters are the checksum of the text before them. */
const PERSONAL_TOKEN = /^gkp_([\w-]{22})\.([\w-]{43})[0-9A-Za-z]{6}$/

export function formatPersonalToken({ grantId, secret }: GrantSecret): string {
  const text = `gkp_${grantId}.${secret}`
  return text + checksumOf(text)
}

/** `undefined` also for a wrong checksum: such a text causes no read of the store. */
export function parsePersonalToken(text: string): GrantSecret | undefined {
  const parsed = grantSecretIn(text, PERSONAL_TOKEN)
  return parsed && formatPersonalToken(parsed) === text ? parsed : undefined
}

const ANY = /^gk[abcdr]_([\w-]{22})\./

/** The grant id in a credential of any kind, if the text has the form of one. */
export function grantIdOf(text: string): GrantId | undefined {
  if (text.startsWith('gkp_')) return parsePersonalToken(text)?.grantId
  return ANY.exec(text)?.[1] as GrantId | undefined
}

/** A presented access token: its grant, and the hash under which the grant stores it. */
export interface PresentedToken {
  readonly grantId: GrantId
  readonly hash: Hash
}

/** A format of access tokens. Each leads to a grant and a hash stored in it, so a token of any format can be revoked. */
export interface AccessTokenFormat {
  /**
   * The token as the client gets it. `grant` already stores the hash of its secret.
   *
   * @param claims of the option `tokenClaims`, for a signed token
   * @param now the time of the answer, in epoch seconds
   */
  write(
    token: GrantSecret,
    grant: Grant,
    claims: UserClaims | undefined,
    now: number,
  ): string | Promise<string>
  /** What a presented token leads to, or `undefined` for another format. The grant decides whether it is live. */
  read(text: string): PresentedToken | undefined | Promise<PresentedToken | undefined>
  /** The grant that a presented text names, before anything of it is checked: its record can be read meanwhile. */
  grantIdOf(text: string): GrantId | undefined
  /** The maximum lifetime of a signed token for these resources, in seconds; `undefined` if such a token is opaque. */
  longest?(resources: readonly string[]): number | undefined
}

const OPAQUE = /^gka_([\w-]{22})\.([\w-]{43})$/

/** Only this server can read them. Personal access tokens are read too, whatever else the server issues. */
export const opaqueAccessTokens = {
  write: ({ grantId, secret }: GrantSecret): string => `gka_${grantId}.${secret}`,
  read(text: string): PresentedToken | undefined {
    const parsed = grantSecretIn(text, OPAQUE) ?? parsePersonalToken(text)
    return parsed && { grantId: parsed.grantId, hash: sha256(parsed.secret) }
  },
  grantIdOf,
} satisfies AccessTokenFormat

/** The authorization scheme of an access token: of one that is bound to a key (RFC 9449 5), or of any other (RFC 6750 4). */
export type TokenType = 'Bearer' | 'DPoP'

/** @param jkt the thumbprint of the key that the token is bound to */
export function tokenType(jkt: string | undefined): TokenType {
  return jkt === undefined ? 'Bearer' : 'DPoP'
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Of CRC-32 in ISO/IEC 3309, with its bits reversed. */
const POLYNOMIAL = 0xedb88320

/** The CRC-32 of an ASCII text in base 62: a secret scanner tells a token from other text by it. It protects no secret. */
export function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < 6) {
    digits = DIGITS[rest % DIGITS.length] + digits
    rest = Math.floor(rest / DIGITS.length)
  }
  return digits
}

/** Without a table: a token has 70 characters, and only personal access tokens are checked. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
