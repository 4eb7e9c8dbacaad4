import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { hasControlCharacter } from './new-password.ts'

const COST = { N: 2 ** 15, r: 8, p: 1 }
export const KEY_LENGTH = 32
const derive = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  length: number,
  options: object,
) => Promise<Buffer>

/**
 * `scrypt$N$r$p$salt$key`, salt and key in base64url. The hash contains its cost, so the cost can be raised later.
 *
 * @throws Error when the password holds a control character
 */
export async function hashPassword(password: string): Promise<string> {
  if (hasControlCharacter(password)) throw new Error('A password must not contain control characters.')
  const salt = randomBytes(16)
  const key = await scryptKey(password, salt, COST)
  return hashOf(salt, key)
}

/** The text of a hash with the current cost. */
export function hashOf(salt: Buffer, key: Buffer): string {
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** @param hash made by `hashPassword` */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  // scrypt begins with HMAC, which pads a short key with NULs (RFC 2104 2): a password with NULs after it has its hash.
  if (hasControlCharacter(password)) return false
  const [, N, r, p, salt = '', key = ''] = hash.split('$')
  const expected = Buffer.from(key, 'base64url')
  const actual = await scryptKey(password, Buffer.from(salt, 'base64url'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  })
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function scryptKey(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  return derive(password.normalize('NFKC'), salt, KEY_LENGTH, { ...cost, maxmem: 256 * cost.N * cost.r })
}
