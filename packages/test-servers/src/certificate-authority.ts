import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** As much DER (ITU-T X.690) as a certificate of one page needs. */
const SEQUENCE = 0x30
const SET = 0x31
const sequence = (...contents: readonly Uint8Array[]) => der(SEQUENCE, ...contents)
const set = (...contents: readonly Uint8Array[]) => der(SET, ...contents)
const octets = (content: Uint8Array) => der(0x04, content)
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content)
const yes = () => der(0x01, Buffer.from([0xff]))
const utf8 = (text: string) => der(0x0c, Buffer.from(text))

/** A positive number; its first byte is below 0x80 and not 0. */
const integer = (...bytes: readonly number[]) => der(0x02, Buffer.from(bytes))

/** `encoded` is the identifier without its first two bytes, in hexadecimal. */
const oid = (encoded: string) => der(0x06, Buffer.from(encoded, 'hex'))

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const COMMON_NAME = oid('550403')
const BASIC_CONSTRAINTS = oid('551d13')
const SUBJECT_ALTERNATIVE_NAME = oid('551d11')
const DAY_MS = 24 * 3600 * 1000

/** A certificate and its key, as PEM. */
interface Certificate {
  readonly cert: string
  readonly key: string
}

interface CertificateOptions {
  /** Days from now, negative for the past. Default: from yesterday to tomorrow. */
  readonly validity?: readonly [from: number, until: number]
}

/** A private certificate authority (RFC 5280), new with every run. */
export interface Authority {
  /** Its own certificate, as PEM. */
  readonly ca: string
  issue(name: string, options?: CertificateOptions): Certificate
}

export function certificateAuthority(commonName = 'A private authority'): Authority {
  const keys = newKeys()
  const isAuthority = sequence(BASIC_CONSTRAINTS, yes(), octets(sequence(yes())))
  const own = signed(
    { issuer: commonName, subject: commonName, key: keys.publicKey, extension: isAuthority },
    keys.privateKey,
  )
  return {
    ca: own,
    issue(name, options = {}) {
      const { publicKey, privateKey } = newKeys()
      const extension = sequence(SUBJECT_ALTERNATIVE_NAME, octets(sequence(der(0x82, Buffer.from(name)))))
      const cert = signed(
        { issuer: commonName, subject: name, key: publicKey, extension, ...options },
        keys.privateKey,
      )
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    },
  }
}

interface Content extends CertificateOptions {
  readonly issuer: string
  readonly subject: string
  readonly key: KeyObject
  readonly extension: Uint8Array
}

function signed({ issuer, subject, key, extension, validity = [-1, 1] }: Content, by: KeyObject): string {
  const content = sequence(
    der(0xa0, integer(2)),
    integer(1, ...randomBytes(8)),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    sequence(...validity.map((days) => time(new Date(Date.now() + days * DAY_MS)))),
    nameOf(subject),
    key.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  )
  return pem(sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, by))))
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function nameOf(commonName: string): Buffer {
  return sequence(set(sequence(COMMON_NAME, utf8(commonName))))
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

/** A GeneralizedTime in UTC. */
function time(moment: Date): Buffer {
  return der(0x18, Buffer.from(moment.toISOString().replaceAll(/[-:T]|\.\d+/g, '')))
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}
