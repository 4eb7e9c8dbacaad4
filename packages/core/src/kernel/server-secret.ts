import { createCipheriv, createDecipheriv, hash, hkdfSync } from 'node:crypto'
import { hmac, type Random, type Secret } from './secrets.ts'

/**
 * The secret of the server, at least 32 characters, the same on every replica. While it is changed, a list: the first one
 * makes tickets, nonces and derived tokens, and all of them are accepted.
 */
export type ServerSecret = string | readonly [current: string, ...previous: string[]]

/** All secrets that are accepted. */
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
    const text = textIn(sealed, key)
    if (text !== undefined) return text
  }
  return undefined
}

function textIn(sealed: Buffer, key: Uint8Array): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAuthTag(sealed.subarray(-TAG))
  try {
    return decipher.update(sealed.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

/** The keys that tokens are derived with, so that an answer can be repeated (docs/adr/0002). No store has them. */
export interface SuccessorKeys {
  /** The id of the key of `derive`. */
  readonly keyId: string
  /** Two new secrets of fixed length. Only the text and the key together lead to them. */
  derive(text: string): readonly [Secret, Secret]
  /**
   * The same secrets again.
   *
   * @param keyId of the record; absent in records that were written without a key
   * @returns `undefined` if the secret of that key is no longer accepted
   */
  deriveAgain(text: string, keyId: string | undefined): readonly [Secret, Secret] | undefined
}

export function successorKeys(secret: ServerSecret): SuccessorKeys {
  const keys = acceptedSecrets(secret).map(keyOf)
  const [first] = keys as [IdentifiedKey]
  return {
    keyId: first.id,
    derive: (text) => halvesOf(first.digest(text)),
    deriveAgain(text, keyId) {
      if (keyId === undefined) return halvesOf(hash('sha512', text, 'base64url'))
      const found = keys.find(({ id }) => id === keyId)
      return found && halvesOf(found.digest(text))
    },
  }
}

interface IdentifiedKey {
  readonly id: string
  readonly digest: (text: string) => string
}

function keyOf(secret: string): IdentifiedKey {
  const digest = hmac('sha512', derivedKey('successors of tokens', secret, 64))
  // No secret with its salt is as short as this text.
  return { id: digest('id').slice(0, 8), digest }
}

/** The halves of a SHA-512, or of an HMAC with it: two secrets. Neither reveals the other one. */
function halvesOf(digest: string): readonly [Secret, Secret] {
  return [digest.slice(0, 43) as Secret, digest.slice(43) as Secret]
}
