import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'

/**
 * The secret of the server, at least 32 characters, the same on every replica. While it is changed, a list: the first one
 * makes tickets, nonces and derived tokens, and all of them are accepted.
 */
export type ServerSecret = string | readonly [current: string, ...previous: string[]]

/** All secrets that are accepted. */
export type AcceptedSecrets = readonly [current: string, ...previous: string[]]

/** @param owner the feature whose option it is, as `device: ` @throws Error that names the option */
export function acceptedSecrets(secret: ServerSecret, owner = ''): AcceptedSecrets {
  const accepted: AcceptedSecrets = typeof secret === 'string' ? [secret] : secret
  if (accepted.length === 0 || accepted.some(({ length }) => length < 32))
    throw new Error(`${owner}secret must have at least 32 characters`)
  const sample = SAMPLES.find((known) => accepted.includes(known))
  if (sample !== undefined)
    throw new Error(`${owner}secret is an example ("${sample}"): make one with "openssl rand -base64 48"`)
  return accepted
}

/** Everybody can read these in examples and guides of earlier releases, and programs were copied with them. */
const SAMPLES = ['at least 32 characters, the same everywhere', 'a secret of at least 32 characters']

/** A key for one purpose (RFC 5869), so that nothing else which the secret makes can be opened or made by it. */
export function keyFor(purpose: string, secret: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes))
}

/** HMAC-SHA-512 with a key for one purpose, in base64url. */
export function keyedHash(purpose: string, secret: string): (text: string) => string {
  // Node takes six times as long with mere bytes.
  const key = createSecretKey(keyFor(purpose, secret, 64))
  return (text) => createHmac('sha512', key).update(text).digest('base64url')
}
