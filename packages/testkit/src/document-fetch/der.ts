/** As much DER (ITU-T X.690) as a certificate of one page needs. */

const SEQUENCE = 0x30
const SET = 0x31

export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

export const sequence = (...contents: readonly Uint8Array[]) => der(SEQUENCE, ...contents)
export const set = (...contents: readonly Uint8Array[]) => der(SET, ...contents)
export const octets = (content: Uint8Array) => der(0x04, content)
export const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content)
export const yes = () => der(0x01, Buffer.from([0xff]))
export const utf8 = (text: string) => der(0x0c, Buffer.from(text))

/** A positive number; its first byte is below 0x80 and not 0. */
export const integer = (...bytes: readonly number[]) => der(0x02, Buffer.from(bytes))

/** `encoded` is the identifier without its first two bytes, in hexadecimal. */
export const oid = (encoded: string) => der(0x06, Buffer.from(encoded, 'hex'))

/** A GeneralizedTime in UTC. */
export function time(moment: Date): Buffer {
  return der(0x18, Buffer.from(moment.toISOString().replaceAll(/[-:T]|\.\d+/g, '')))
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}
