import type { GrantId, Secret } from '../kernel/secrets.ts'

/**
 * The text of a credential and its parts. The grant decides what a credential is worth.
 * Every credential names its grant, so checking one reads one record. The prefixes let secret scanners find and
 * identify leaked credentials.
 *
 * - `gkc_<grant id>.<secret>`: authorization code
 * - `gka_<grant id>.<secret>`: access token
 * - `gkd_<grant id>.<request id>.<secret>`: device code
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

export interface DeviceCode extends GrantSecret {
  /** Names the request while nobody has answered it. */
  readonly requestId: string
}

const CODE = /^gkc_([\w-]{22})\.([\w-]{43})$/
const DEVICE_CODE = /^gkd_([\w-]{22})\.([\w-]{22})\.([\w-]{43})$/
const REFRESH_TOKEN = /^gkr_([\w-]{22})\.([\w-]{22})\.(0|[1-9][0-9]{0,8})\.([\w-]{43})$/

export function formatCode({ grantId, secret }: GrantSecret): string {
  return `gkc_${grantId}.${secret}`
}

export function formatDeviceCode({ grantId, requestId, secret }: DeviceCode): string {
  return `gkd_${grantId}.${requestId}.${secret}`
}

export function formatRefreshToken({ grantId, family, generation, secret }: RefreshToken): string {
  return `gkr_${grantId}.${family}.${generation}.${secret}`
}

export function parseCode(text: string): GrantSecret | undefined {
  const [, grantId, secret] = CODE.exec(text) ?? []
  if (grantId === undefined || secret === undefined) return undefined
  return { grantId: grantId as GrantId, secret: secret as Secret }
}

export function parseDeviceCode(text: string): DeviceCode | undefined {
  const [, grantId, requestId, secret] = DEVICE_CODE.exec(text) ?? []
  if (grantId === undefined || requestId === undefined || secret === undefined) return undefined
  return { grantId: grantId as GrantId, requestId, secret: secret as Secret }
}

export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, grantId, family, generation, secret] = REFRESH_TOKEN.exec(text) ?? []
  if (grantId === undefined || family === undefined || secret === undefined) return undefined
  return { grantId: grantId as GrantId, family, generation: Number(generation), secret: secret as Secret }
}

const ANY = /^gk[acdr]_([\w-]{22})\./

/** The grant id in a credential of any kind, if the text has the form of one. */
export function grantIdOf(text: string): GrantId | undefined {
  return ANY.exec(text)?.[1] as GrantId | undefined
}
