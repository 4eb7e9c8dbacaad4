import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** What a browser and its authenticator answer, made by hand so that a test can make it wrong (WebAuthn 6.1, 6.5). */
export interface SoftwareAuthenticator {
  readonly id: string
  create(options: unknown, bend?: Bend): string
  get(options: unknown, bend?: Bend): string
}

/** What to answer other than a browser would. */
export interface Bend {
  readonly origin?: string
  readonly rpId?: string
  readonly type?: string
  readonly challenge?: string
  readonly userVerified?: boolean
  readonly userPresent?: boolean
  readonly counter?: number
  readonly userHandle?: string
  readonly signature?: Buffer
}

export function softwareAuthenticator(origin: string): SoftwareAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(16)
  const id = credentialId.toString('base64url')
  const coseKey = Buffer.concat([
    // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])
  let userHandle = ''

  const clientData = (type: string, options: Options, bend: Bend) =>
    Buffer.from(
      JSON.stringify({
        type: bend.type ?? type,
        challenge: bend.challenge ?? options.challenge,
        origin: bend.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const credential = (response: object) =>
    JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })

  return {
    id,
    create(asked, bend = {}) {
      const options = asked as Options
      userHandle = options.user?.id ?? ''
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, 16]), credentialId, coseKey])
      const data = authenticatorData(bend.rpId ?? options.rp?.id ?? '', ATTESTED, 0, bend, attested)
      return credential({
        clientDataJSON: clientData('webauthn.create', options, bend).toString('base64url'),
        attestationObject: attestationObject(data).toString('base64url'),
        transports: ['internal'],
      })
    },
    get(asked, bend = {}) {
      const options = asked as Options
      const client = clientData('webauthn.get', options, bend)
      const data = authenticatorData(bend.rpId ?? options.rpId ?? '', 0, bend.counter ?? 0, bend)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: (bend.signature ?? sign('sha256', signed, privateKey)).toString('base64url'),
        userHandle: bend.userHandle ?? userHandle,
      })
    },
  }
}

interface Options {
  readonly challenge: string
  readonly rpId?: string
  readonly rp?: { readonly id: string }
  readonly user?: { readonly id: string }
}

const USER_PRESENT = 1
const USER_VERIFIED = 4
const ATTESTED = 64

function authenticatorData(rpId: string, flags: number, counter: number, bend: Bend, more = Buffer.alloc(0)) {
  const present = (bend.userPresent ?? true) ? USER_PRESENT : 0
  const verified = (bend.userVerified ?? true) ? USER_VERIFIED : 0
  const head = Buffer.alloc(5)
  head.writeUInt8(flags | present | verified, 0)
  head.writeUInt32BE(counter, 1)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), head, more])
}

/** CBOR of `{fmt: "none", attStmt: {}, authData: data}`. */
function attestationObject(data: Buffer): Buffer {
  const head = Buffer.concat([
    Buffer.from([0xa3, 0x63]),
    Buffer.from('fmt'),
    Buffer.from([0x64]),
    Buffer.from('none'),
  ])
  const statement = Buffer.concat([Buffer.from([0x67]), Buffer.from('attStmt'), Buffer.from([0xa0])])
  const name = Buffer.concat([Buffer.from([0x68]), Buffer.from('authData'), Buffer.from([0x58, data.length])])
  return Buffer.concat([head, statement, name, data])
}
