import { sha256 } from '@grantkit/core/feature'
import { derivedKey, hmac } from '@grantkit/core/internal'
import type { AttemptIdentity } from './attempt-facts.ts'

/** The alphabet of Crockford's base32: no I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** In any case, with or without a dash, also as an error text has it: `(ref 7K3M-Q2WD)`. */
const SHOWN = /^\(?(?:ref\s+)?([0-9a-z]{4})[-\s]?([0-9a-z]{4})\)?$/i

/** Characters that people mistake for others. */
const MISREAD: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' }

/**
 * A reference as users see it.
 *
 * @param reference 8 characters
 *
 * @example
 * ```ts
 * import { formatReference } from '@grantkit/explain'
 *
 * formatReference('7K3MQ2WD') // '7K3M-Q2WD'
 * ```
 */
export function formatReference(reference: string): string {
  return `${reference.slice(0, 4)}-${reference.slice(4)}`
}

/**
 * The reference in what a user types or copies from an error. Case and the dash do not matter, and `O`, `I` and `L` are read as
 * digits.
 *
 * @returns 8 characters; `undefined` if the text has another form
 *
 * @example
 * ```ts
 * import { parseReference } from '@grantkit/explain'
 *
 * parseReference('7k3m-q2wd') // '7K3MQ2WD'
 * ```
 */
export function parseReference(text: string): string | undefined {
  const [, first = '', last = ''] = SHOWN.exec(text.trim()) ?? []
  const reference = (first + last).toUpperCase().replaceAll(/[OIL]/g, (letter) => MISREAD[letter] ?? letter)
  const isBase32 = [...reference].every((character) => ALPHABET.includes(character))
  return isBase32 ? reference || undefined : undefined
}

/** The reference in the first 40 bits: five in each character of the alphabet. */
export function referenceIn(bytes: Uint8Array): string {
  let rest = Buffer.from(bytes.buffer, bytes.byteOffset).readUIntBE(0, 5)
  let text = ''
  for (let at = 0; at < 8; at++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/**
 * The reference of an attempt: the first 40 bits of an HMAC over the client and its PKCE challenge, which the token request has
 * too (RFC 7636 4.6), or its `state`. Only this server can derive it.
 *
 * References are derived from what the requests of one attempt have in common, so nothing is stored to have one.
 *
 * @returns a function that returns `undefined` if the request has neither
 */
export function derivation(secret: string): (identity: AttemptIdentity) => string | undefined {
  const hmacOf = hmac('sha256', derivedKey('references of sign-in attempts', secret))
  return ({ clientId = '', challenge, verifier, state }) => {
    const sent = challenge ?? (verifier === undefined ? undefined : sha256(verifier))
    if (sent === undefined && state === undefined) return undefined
    const text = JSON.stringify(
      sent === undefined ? ['state', clientId, state] : ['challenge', clientId, sent],
    )
    return referenceIn(Buffer.from(hmacOf(text), 'base64url'))
  }
}
