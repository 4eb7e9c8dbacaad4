/** The alphabet of Crockford's base32: no I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** One or two groups, in any case, with or without dashes, also as an error text has them: `(ref 7K3M-Q2WD)`. */
const SHOWN = /^\(?(?:ref\s+)?([0-9a-z]{4})[-\s]?([0-9a-z]{4})(?:[-\s]?([0-9a-z]{5}))?\)?$/i

/** Characters that people mistake for others. */
const MISREAD: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' }

/**
 * A reference as users see it.
 *
 * @param reference 8 characters, or 13 with its second group
 *
 * @example
 * ```ts
 * import { formatReference } from '@grantkit/explain'
 *
 * formatReference('7K3MQ2WD') // '7K3M-Q2WD'
 * ```
 */
export function formatReference(reference: string): string {
  const groups = [reference.slice(0, 4), reference.slice(4, 8), reference.slice(8)]
  return groups.filter((group) => group !== '').join('-')
}

/**
 * The reference in what a user types or copies from an error. Case, dashes and a second group do not matter, and `O`, `I` and
 * `L` are read as digits.
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
  return groupsOf(text)?.reference
}

interface Groups {
  /** Both groups of four. */
  readonly reference: string
  /** The five characters after them. */
  readonly second: string | undefined
}

/** What a shown reference consists of, in the alphabet. */
export function groupsOf(text: string): Groups | undefined {
  const [, first = '', last = '', end = ''] = SHOWN.exec(text.trim()) ?? []
  const [reference, second] = [asRead(first + last), asRead(end)]
  if (reference === '' || !isBase32(reference + second)) return undefined
  return { reference, second: second || undefined }
}

function asRead(group: string): string {
  return group.toUpperCase().replaceAll(/[OIL]/g, (letter) => MISREAD[letter] ?? letter)
}

function isBase32(group: string): boolean {
  return [...group].every((character) => ALPHABET.includes(character))
}

/** The number in `length` characters of the alphabet, five bits each. @param number below 2^(5 · length) */
export function base32(number: number, length: number): string {
  let rest = number
  let text = ''
  for (let at = 0; at < length; at++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** The number that `base32` has written. */
export function numberIn(group: string): number {
  return [...group].reduce((number, character) => 32 * number + ALPHABET.indexOf(character), 0)
}

/** The reference in the first 40 bits. */
export function referenceIn(bytes: Uint8Array): string {
  return base32(Buffer.from(bytes.buffer, bytes.byteOffset).readUIntBE(0, 5), 8)
}
