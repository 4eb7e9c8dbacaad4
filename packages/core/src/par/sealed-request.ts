import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { PushedRequest } from '../authorization/pushed-requests.ts'
import type { Random } from '../kernel/secrets.ts'

/** RFC 9126 2.2. */
const URN = 'urn:ietf:params:oauth:request_uri:'
const CIPHER = 'aes-256-gcm'
/** Bytes. At random, one in 2^32 pushes under one key may repeat a nonce (NIST SP 800-38D 8.3). */
const NONCE = 12
const TAG = 16

/** A key of its own, so that nothing else which the secret signs can be opened or made by it. */
export function sealingKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'pushed authorization requests', 32))
}

/** A `request_uri` that is the request itself: nothing is stored, so nobody can fill the store by pushing. */
export function sealRequest(key: Uint8Array, random: Random, request: PushedRequest): string {
  const nonce = random(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce)
  const { pushedAt, clientId, query, unapproved = false } = request
  const sealed = Buffer.concat([
    nonce,
    cipher.update(JSON.stringify([pushedAt, clientId, query, unapproved])),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  return URN + sealed.toString('base64url')
}

/** The request in a genuine `request_uri`, or `undefined`. */
export function openRequest(key: Uint8Array, requestUri: string): PushedRequest | undefined {
  if (!requestUri.startsWith(URN)) return undefined
  const sealed = Buffer.from(requestUri.slice(URN.length), 'base64url')
  // One request must not have two names: a decoder forgives what an encoder never writes.
  if (sealed.length < NONCE + TAG || URN + sealed.toString('base64url') !== requestUri) return undefined
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAuthTag(sealed.subarray(-TAG))
  try {
    const text = decipher.update(sealed.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8')
    const [pushedAt, clientId, query, unapproved] = JSON.parse(text)
    return { pushedAt, clientId, query, unapproved }
  } catch {
    return undefined
  }
}
