import { hash } from 'node:crypto'

/** Bytes of a block and of a hash. */
const SIZES = { sha256: [64, 32], sha512: [128, 64] } as const

/**
 * HMAC (RFC 2104) as two one-shot hashes, for a key that is used often. `createHmac` makes a native object for each text, which
 * costs more than the hashes: 8 % of a refresh over HTTP (docs/adr/0075).
 *
 * @param key a longer one than a block counts by its hash
 * @returns the HMAC of a text, in base64url
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
