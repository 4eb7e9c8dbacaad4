import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { Random } from './secrets.ts'

/** Text that a browser or a client carries and cannot read or change. */

const CIPHER = 'aes-256-gcm'
/** Bytes. At random, one in 2^32 texts under one key may repeat a nonce (NIST SP 800-38D 8.3). */
const NONCE = 12
const TAG = 16

/** @param purpose makes a key of its own: nothing that the secret protects elsewhere can be opened or made by it */
export function sealingKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32))
}

/** @returns base64url */
export function sealText(key: Uint8Array, random: Random, text: string): string {
  const nonce = random(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce)
  const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
  return sealed.toString('base64url')
}

/** The text, or `undefined` if it was not sealed with this key. */
export function openText(key: Uint8Array, given: string): string | undefined {
  const sealed = Buffer.from(given, 'base64url')
  // One text must not have two seals: a decoder forgives what an encoder never writes.
  if (sealed.length < NONCE + TAG || sealed.toString('base64url') !== given) return undefined
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAuthTag(sealed.subarray(-TAG))
  try {
    return decipher.update(sealed.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
