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
