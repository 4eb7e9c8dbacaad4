/**
 * Every credential names its grant, so whatever is presented is one read of one record. The prefixes let secret
 * scanners find leaked credentials and tell people what they are looking at.
 *
 *   gkc_<grant id>.<secret>                          authorization code
 *   gka_<grant id>.<secret>                          access token
 *   gkr_<grant id>.<family>.<generation>.<secret>    refresh token
 */
export interface GrantSecret {
  readonly grantId: string
  readonly secret: string
}

export interface RefreshToken extends GrantSecret {
  readonly family: string
  /** How many rotations lie behind it. */
  readonly generation: number
}

const CODE = /^gkc_([\w-]{22})\.([\w-]{43})$/
const ACCESS_TOKEN = /^gka_([\w-]{22})\.([\w-]{43})$/
const REFRESH_TOKEN = /^gkr_([\w-]{22})\.([\w-]{22})\.(0|[1-9][0-9]{0,8})\.([\w-]{43})$/

export function formatCode({ grantId, secret }: GrantSecret): string {
  return `gkc_${grantId}.${secret}`
}

export function formatAccessToken({ grantId, secret }: GrantSecret): string {
  return `gka_${grantId}.${secret}`
}

export function formatRefreshToken({ grantId, family, generation, secret }: RefreshToken): string {
  return `gkr_${grantId}.${family}.${generation}.${secret}`
}

export function parseCode(text: string): GrantSecret | undefined {
  return grantSecret(CODE.exec(text))
}

export function parseAccessToken(text: string): GrantSecret | undefined {
  return grantSecret(ACCESS_TOKEN.exec(text))
}

export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, grantId, family, generation, secret] = REFRESH_TOKEN.exec(text) ?? []
  if (grantId === undefined || family === undefined || secret === undefined) return undefined
  return { grantId, family, generation: Number(generation), secret }
}

const SECRET_OF_ANY = /\b(gk[acr]_[\w-]{22})\.[\w.-]+/g

/** A stranger's text for the operator's log, where no credential may stand, whatever field it was sent in. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(SECRET_OF_ANY, '$1')
}

const ANY = /^gk[acr]_([\w-]{22})\./

/** The grant that a credential of whatever kind names, if it looks like one. */
export function grantIdOf(text: string): string | undefined {
  return ANY.exec(text)?.[1]
}

function grantSecret(match: RegExpExecArray | null): GrantSecret | undefined {
  const [, grantId, secret] = match ?? []
  return grantId === undefined || secret === undefined ? undefined : { grantId, secret }
}
