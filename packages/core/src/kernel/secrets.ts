import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

declare const kind: unique symbol
/** SHA-256 in base64url. Only hashes of secrets are stored, and the type system checks that. */
export type Hash = string & { readonly [kind]: 'hash' }
/** A secret: sent once and never stored. */
export type Secret = string & { readonly [kind]: 'secret' }
/** 128 unguessable bits in 22 base64url characters. */
export type GrantId = string & { readonly [kind]: 'grant id' }

/** Cryptographically strong random bytes; an option of the server, so that tests are repeatable. */
export type Random = (size: number) => Uint8Array

/** Kept small: a stock stays in memory until its last piece is garbage. */
const STOCK_BYTES = 1024
let stock = Buffer.alloc(0)

/** In stocks: one call of the system for every few bytes would be a tenth of the cost of a token request. */
export const strongRandom: Random = (size) => {
  if (size > stock.length) stock = randomBytes(Math.max(size, STOCK_BYTES))
  const bytes = stock.subarray(0, size)
  stock = stock.subarray(size)
  return bytes
}

/**
 * 256 bits in 43 base64url characters: a code, a token, a client secret.
 *
 * @example
 * ```ts
 * import { type Kernel, newSecret, sha256 } from '@grantkit/core/feature'
 *
 * // The secret goes to the client, its hash into the store.
 * export function newCode({ random }: Kernel) {
 *   const code = newSecret(random)
 *   return { code, hash: sha256(code) }
 * }
 * ```
 */
export function newSecret(random: Random): Secret {
  return base64url(random(32)) as Secret
}

/** 128 bits in 22 base64url characters: an unguessable identifier, or a salt. */
export function newId(random: Random): string {
  return base64url(random(16))
}

export function newGrantId(random: Random): GrantId {
  return newId(random) as GrantId
}

/** 128 bits in hexadecimal: on a command line a leading hyphen would look like an option. */
export function newClientId(random: Random): string {
  return Buffer.from(random(16)).toString('hex')
}

/** One round is enough for a text with 128 bits of entropy. */
export function sha256(text: string): Hash {
  return hash('sha256', text, 'base64url') as Hash
}

/** The secret of a code or token, whose dot may be percent-encoded. */
const SECRET_OF_ANY = /(gk[abcdipr]_[\w-]{22})(?:\.|%2e)[\w.%-]+/gi
/** A JWT: an ID token, or a signed access token. Without its signature it opens nothing. */
const SIGNATURE = /\b(eyJ[\w-]+(?:\.|%2e)eyJ[\w-]+)(?:\.|%2e)[\w-]+/gi

/** Removes secrets from untrusted text: no credential may reach a log, in whichever field it was sent. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(SECRET_OF_ANY, '$1').replaceAll(SIGNATURE, '$1')
}

export function hmacSha256(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** In constant time, so the duration does not reveal where two strings differ. */
export function sameSecret(left: string, right: string): boolean {
  const a = Buffer.from(left)
  const b = Buffer.from(right)
  return a.length === b.length && timingSafeEqual(a, b)
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}

/** Bytes of a block and of a hash. */
const SIZES = { sha256: [64, 32], sha512: [128, 64] } as const

/**
 * HMAC (RFC 2104) in base64url, as two one-shot hashes. `createHmac` makes a native object for each text, which costs more than the
 * hashes: 8 % of a refresh over HTTP (docs/adr/0075).
 */
export function hmac(algorithm: keyof typeof SIZES, key: Uint8Array): (text: string) => string {
  const [block, length] = SIZES[algorithm]
  const inner = Buffer.alloc(block, 0x36)
  const outer = Buffer.alloc(block + length, 0x5c)
  const bytes = key.length > block ? hash(algorithm, key, 'buffer') : key
  bytes.forEach((byte, at) => {
    inner[at] = 0x36 ^ byte
    outer[at] = 0x5c ^ byte
  })
  return (text) => {
    const message = Buffer.allocUnsafe(block + Buffer.byteLength(text))
    message.set(inner)
    message.write(text, block)
    outer.write(hash(algorithm, message, 'hex'), block, 'hex')
    return hash(algorithm, outer, 'base64url')
  }
}

/**
 * At least 32 characters, the same on every replica. While it is changed, a list: the first one makes tickets, nonces and
 * derived tokens, and all of them are accepted.
 */
export type ServerSecret = string | readonly [current: string, ...previous: string[]]

export type AcceptedSecrets = readonly [current: string, ...previous: string[]]

/** @param owner the feature whose option it is, as `device: ` @throws Error that names the option */
export function acceptedSecrets(secret: ServerSecret, owner = ''): AcceptedSecrets {
  // `undefined` is a variable that is not set.
  const accepted: AcceptedSecrets = typeof secret === 'string' ? [secret] : (secret ?? [''])
  if (accepted.length === 0 || accepted.some((text) => text.trim().length < 32))
    throw new Error(`${owner}secret must have at least 32 characters`)
  const sample = SAMPLES.find((known) => accepted.includes(known))
  if (sample !== undefined)
    throw new Error(`${owner}secret is an example ("${sample}"): make one with "openssl rand -base64 48"`)
  return accepted
}

/** They are public: examples and guides show them, and programs are copied with them. */
const SAMPLES = ['at least 32 characters, the same everywhere', 'a secret of at least 32 characters']

/** A key for one purpose (RFC 5869). It opens and makes nothing of another purpose. */
export function derivedKey(purpose: string, secret: string, bytes = 32): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, bytes))
}

const CIPHER = 'aes-256-gcm'
/** Bytes. At random, one in 2^32 texts under one key may repeat a nonce (NIST SP 800-38D 8.3). */
const NONCE = 12
const TAG = 16

/** The first one encrypts, all of them decrypt. */
export type SealingKeys = readonly [current: Uint8Array, ...previous: Uint8Array[]]

export function sealingKeys([current, ...previous]: AcceptedSecrets, purpose: string): SealingKeys {
  return [derivedKey(purpose, current), ...previous.map((secret) => derivedKey(purpose, secret))]
}

/** Text that a browser or a client carries and cannot read or change. @returns base64url */
export function sealText([key]: SealingKeys, random: Random, text: string): string {
  const nonce = random(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce)
  // workerd takes no text without its encoding.
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return sealed.toString('base64url')
}

/** The text, or `undefined` if it was encrypted with none of these keys. */
export function openText(keys: SealingKeys, presented: string): string | undefined {
  const sealed = Buffer.from(presented, 'base64url')
  // One text must not have two forms: a decoder accepts what an encoder never writes.
  if (sealed.length < NONCE + TAG || sealed.toString('base64url') !== presented) return undefined
  for (const key of keys) {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE), { authTagLength: TAG })
    decipher.setAuthTag(sealed.subarray(-TAG))
    try {
      return decipher.update(sealed.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8')
    } catch {}
  }
  return undefined
}

/** The keys that tokens are derived with, so that an answer can be repeated (docs/adr/0002). No store has them. */
export interface SuccessorKeys {
  /** The id of the key of `derive`. */
  readonly keyId: string
  /** Two new secrets of fixed length. Only the text and the key together lead to them. */
  derive(text: string): readonly [Secret, Secret]
  /** @returns `undefined` if the secret of the key is no longer accepted */
  deriveAgain(text: string, keyId: string): readonly [Secret, Secret] | undefined
}

export function successorKeys(secret: ServerSecret): SuccessorKeys {
  const [current, ...previous] = acceptedSecrets(secret)
  const first = keyOf(current)
  const keys = [first, ...previous.map(keyOf)]
  return {
    keyId: first.id,
    derive: (text) => halvesOf(first.digest(text)),
    deriveAgain(text, keyId) {
      const found = keys.find(({ id }) => id === keyId)
      return found && halvesOf(found.digest(text))
    },
  }
}

function keyOf(secret: string) {
  const digest = hmac('sha512', derivedKey('successors of tokens', secret, 64))
  // No secret with its salt is as short as this text.
  return { id: digest('id').slice(0, 8), digest }
}

/** The halves of a SHA-512, or of an HMAC with it: two secrets. Neither reveals the other one. */
function halvesOf(digest: string): readonly [Secret, Secret] {
  return [digest.slice(0, 43) as Secret, digest.slice(43) as Secret]
}
