import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Random } from './secrets.ts'
import { type AcceptedSecrets, keyFor } from './server-secret.ts'

/** Text that a browser or a client carries and cannot read or change. */

const CIPHER = 'aes-256-gcm'
/** Bytes. At random, one in 2^32 texts under one key may repeat a nonce (NIST SP 800-38D 8.3). */
const NONCE = 12
const TAG = 16

/** The first one seals, all of them open. */
export type SealingKeys = readonly [current: Uint8Array, ...previous: Uint8Array[]]

export function sealingKeys([current, ...previous]: AcceptedSecrets, purpose: string): SealingKeys {
  return [keyFor(purpose, current), ...previous.map((secret) => keyFor(purpose, secret))]
}

/** @returns base64url */
export function sealText([key]: SealingKeys, random: Random, text: string): string {
  const nonce = random(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce)
  const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
  return sealed.toString('base64url')
}

/** The text, or `undefined` if it was sealed with none of these keys. */
export function openText(keys: SealingKeys, given: string): string | undefined {
  const sealed = Buffer.from(given, 'base64url')
  // One text must not have two seals: a decoder forgives what an encoder never writes.
  if (sealed.length < NONCE + TAG || sealed.toString('base64url') !== given) return undefined
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
