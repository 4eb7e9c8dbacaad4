/** Users and their passwords in one secret, which has room for a few dozen. Put your own users in place of it. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** 16 MiB for each password. N = 2^17, as for servers, takes all of the memory that a Worker has. */
const COST = { N: 2 ** 14, r: 8, p: 5 }

/** For a name without a user, so that the answer takes as long. No password has this hash. */
const UNKNOWN_USER = `${'A'.repeat(22)}:${'A'.repeat(43)}`

/** @param users a JSON object of names and hashes */
export function hasUser(users: string, name: string): boolean {
  return Object.hasOwn(JSON.parse(users), name)
}

export async function passwordMatches(users: string, name: string, password: unknown): Promise<boolean> {
  const hash: string = hasUser(users, name) ? JSON.parse(users)[name] : UNKNOWN_USER
  const [salt = '', key = ''] = hash.split(':')
  const derived = await derivedKey(String(password), Buffer.from(salt, 'base64url'))
  return timingSafeEqual(derived, Buffer.from(key, 'base64url'))
}

/** Salt and key in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return `${salt.toString('base64url')}:${(await derivedKey(password, salt)).toString('base64url')}`
}

function derivedKey(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, 32, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )
}
