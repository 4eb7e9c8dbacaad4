import { scryptSync } from 'node:crypto'

const KEY_LENGTH = 32
const COST = { N: 16, r: 8, p: 1 }
const SALT = Buffer.from('the salt of tests')

/** A hash that costs no time, always the same: most tests sign in, and few are about passwords. */
export function quickHash(password: string): string {
  const key = scryptSync(password, SALT, KEY_LENGTH, COST)
  return `scrypt$16$8$1$${SALT.toString('base64url')}$${key.toString('base64url')}`
}
