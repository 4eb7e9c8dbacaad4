import crypto, { createHash, pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Hashes of passwords: how this server makes them, and which ones of other systems it verifies until the next sign-in. */

/** The named parts of a hash. */
type Parts = Readonly<Record<string, string>>

interface Scheme {
  readonly form: RegExp
  /** For counts. */
  name(parts: Parts): string
  /** Why a hash is not accepted that a file brings along: a check must not take a minute, nor all memory. */
  excess(parts: Parts): string | undefined
  /** @throws Error if this process cannot know, which is no wrong password */
  matches(password: string, parts: Parts, secrets: PasswordSecrets): Promise<boolean>
}

/** What hashes need that the database must not have. */
export interface PasswordSecrets {
  /** What Devise appended to a password. */
  readonly pepper?: string | undefined
  /** Called when a hash needs the pepper, and there is none. */
  readonly onPepperMissing?: () => void
}

const PHC = '(?<salt>[A-Za-z0-9+/]+)\\$(?<key>[A-Za-z0-9+/]+)'
const MIB = 1024 * 1024
const MAX_MEMORY = 256 * MIB
/** A shorter key can be matched by chance. */
const MIN_KEY_BYTES = 16
const MAX_KEY_BYTES = 128

/** The first one that has the form of a hash. */
const SCHEMES: readonly Scheme[] = [
  {
    // https://github.com/P-H-C/phc-string-format, RFC 9106
    form: new RegExp(
      `^\\$(?<kind>argon2id?)\\$v=19\\$m=(?<m>\\d{1,9}),t=(?<t>\\d{1,9}),p=(?<p>\\d{1,9})\\$${PHC}$`,
    ),
    name: ({ kind = '' }) => kind,
    excess: ({ m, t, p, salt, key }) =>
      above('m', m, MAX_MEMORY / 1024) ??
      above('t', t, 10) ??
      above('p', p, 8) ??
      (Number(m) < 8 * Number(p) || Number(t) < 1 || Number(p) < 1 || bytesOf(salt).length < 8
        ? 'has impossible parameters'
        : keyProblem(key)),
    matches: async (password, { kind, m, t, p, salt, key }) => {
      const costs = { memory: Number(m), passes: Number(t), parallelism: Number(p) }
      const expected = bytesOf(key)
      const tag = await argon2(
        kind as 'argon2i' | 'argon2id',
        password,
        bytesOf(salt),
        expected.length,
        costs,
      )
      return equal(tag, expected)
    },
  },
  {
    // `bcrypt_sha256`: of the hex SHA-256 of the password, by Django. `bcrypt_pepper`: by Devise with a pepper.
    form: /^(?:(?<of>bcrypt_sha256|bcrypt_pepper)\$)?(?<hash>\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53})$/,
    name: ({ of = 'bcrypt' }) => of,
    excess: ({ cost }) =>
      above('cost', cost, 14) ?? (Number(cost) < 4 ? 'has impossible parameters' : undefined),
    async matches(password, { of, hash = '' }, { pepper, onPepperMissing }) {
      // A pure implementation, which only those load who bring such hashes along.
      const { compare } = await import('bcryptjs')
      if (of === 'bcrypt_sha256') return compare(createHash('sha256').update(password).digest('hex'), hash)
      if (of === undefined) return compare(password, hash)
      if (pepper !== undefined) return compare(password + pepper, hash)
      onPepperMissing?.()
      // Nobody can sign in with it, and the answer takes as long as that to a wrong password.
      await compare(password, hash)
      return false
    },
  },
  {
    // Ours, with salt and key in base64url.
    form: /^scrypt\$(?<N>\d{1,9})\$(?<r>\d{1,9})\$(?<p>\d{1,9})\$(?<salt>[\w-]+)\$(?<key>[\w-]+)$/,
    name: () => 'scrypt',
    excess: ({ N, r, p, key }) => scryptExcess(N, r, p) ?? keyProblem(key),
    async matches(password, { N, r, p, salt, key }) {
      const expected = bytesOf(key)
      const costs = { N: Number(N), r: Number(r), p: Number(p) }
      return equal(await scryptKey(password, bytesOf(salt), expected.length, costs), expected)
    },
  },
  {
    form: new RegExp(`^\\$pbkdf2-(?<digest>sha1|sha256|sha512)\\$i=(?<i>\\d{1,9})\\$${PHC}$`),
    name: ({ digest }) => `pbkdf2-${digest}`,
    excess: ({ i, key }) =>
      above('i', i, 5_000_000) ?? (Number(i) < 1 ? 'has impossible parameters' : keyProblem(key)),
    async matches(password, { digest = '', i, salt, key }) {
      const expected = bytesOf(key)
      return equal(await pbkdf2Key(password, bytesOf(salt), Number(i), expected.length, digest), expected)
    },
  },
  {
    // The key encrypts what the importer has taken out of the hash: see `firebaseHash`.
    form: /^firebase_scrypt\$(?<N>\d{1,9})\$(?<r>\d{1,9})\$(?<salt>[\w-]+)\$(?<key>[\w-]+)$/,
    name: () => 'firebase-scrypt',
    excess: ({ N, r, key }) => scryptExcess(N, r, '1') ?? keyProblem(key),
    async matches(password, { N, r, salt, key }) {
      const expected = bytesOf(key)
      const derived = await scryptKey(password, bytesOf(salt), 64, { N: Number(N), r: Number(r), p: 1 })
      const cipher = crypto.createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16))
      return equal(cipher.update(Buffer.alloc(expected.length)), expected)
    },
  },
]

/** In base64 or base64url, which Node reads alike. */
function bytesOf(text = ''): Buffer {
  return Buffer.from(text, 'base64')
}

function equal(actual: Buffer, expected: Buffer): boolean {
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function above(what: string, given: string | undefined, most: number): string | undefined {
  return Number(given) > most ? `has ${what}=${given}; the maximum is ${most}` : undefined
}

function keyProblem(key: string | undefined): string | undefined {
  const { length } = bytesOf(key)
  return length < MIN_KEY_BYTES || length > MAX_KEY_BYTES
    ? `has a key of ${length} bytes; it must have ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES}`
    : undefined
}

function scryptExcess(
  N: string | undefined,
  r: string | undefined,
  p: string | undefined,
): string | undefined {
  const memory = 128 * Number(N) * Number(r)
  if (memory > MAX_MEMORY) return `needs ${Math.ceil(memory / MIB)} MiB of memory; the maximum is 256`
  // RFC 7914 2: N is a power of two.
  const possible = Number(N) > 1 && Number.isInteger(Math.log2(Number(N))) && Number(r) > 0 && Number(p) > 0
  // Memory and time: 256 MiB with p = 1, and less memory with more.
  if (memory * Number(p) > MAX_MEMORY) return 'needs too much work: N * r * p may be 2097152 at most'
  return above('p', p, 16) ?? (possible ? undefined : 'has impossible parameters')
}

interface ScryptCosts {
  readonly N: number
  readonly r: number
  readonly p: number
}

const derive = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  length: number,
  options: object,
) => Promise<Buffer>
const pbkdf2Key = promisify(pbkdf2)

function scryptKey(password: string, salt: Buffer, length: number, costs: ScryptCosts): Promise<Buffer> {
  const { N, r, p } = costs
  return derive(password, salt, length, { ...costs, maxmem: 256 * r * (N + p) })
}

interface Argon2Costs {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

function argon2(
  kind: 'argon2i' | 'argon2id',
  message: string,
  nonce: Buffer,
  tagLength: number,
  costs: Argon2Costs,
): Promise<Buffer> {
  return promisify(crypto.argon2)(kind, { message, nonce, tagLength, ...costs })
}

/** Whether the OpenSSL of this Node has Argon2: version 3.2 and later. */
const HAS_ARGON2 = hasArgon2()

function hasArgon2(): boolean {
  const least = { memory: 8, passes: 1, parallelism: 1, tagLength: 4 }
  try {
    return crypto.argon2Sync('argon2id', { message: '', nonce: Buffer.alloc(8), ...least }).length === 4
  } catch {
    return false
  }
}

/** What an operator should know of the hashes that this process makes. */
export function hashWarnings(supported = HAS_ARGON2): readonly string[] {
  if (supported) return []
  return [
    'This Node has no Argon2, because its OpenSSL is older than 3.2: new passwords are hashed with scrypt, and users with an Argon2 hash cannot sign in with their password',
  ]
}

const SALT_BYTES = 16
const KEY_BYTES = 32
/** The minimum of the OWASP Password Storage Cheat Sheet, and half the time of its scrypt. */
const ARGON2_COSTS = { memory: 19_456, passes: 2, parallelism: 1 }
const SCRYPT_COSTS = { N: 2 ** 17, r: 8, p: 1 }
/** The beginning of all hashes of the current kind and cost. */
const CURRENT = HAS_ARGON2
  ? `$argon2id$v=19$m=${ARGON2_COSTS.memory},t=${ARGON2_COSTS.passes},p=${ARGON2_COSTS.parallelism}$`
  : `scrypt$${SCRYPT_COSTS.N}$${SCRYPT_COSTS.r}$${SCRYPT_COSTS.p}$`

/**
 * Argon2id as a PHC text. The hash contains its cost, so the cost can be raised later.
 *
 * @throws Error when the password holds a control character
 */
export async function hashPassword(password: string): Promise<string> {
  if (hasControlCharacter(password)) throw new Error('A password must not contain control characters.')
  const salt = randomBytes(SALT_BYTES)
  const text = password.normalize('NFKC')
  const key = await (HAS_ARGON2
    ? argon2('argon2id', text, salt, KEY_BYTES, ARGON2_COSTS)
    : scryptKey(text, salt, KEY_BYTES, SCRYPT_COSTS))
  return currentHash(salt, key)
}

function currentHash(salt: Buffer, key: Buffer): string {
  return HAS_ARGON2
    ? `${CURRENT}${unpadded(salt)}$${unpadded(key)}`
    : `${CURRENT}${salt.toString('base64url')}$${key.toString('base64url')}`
}

/** Base64 as PHC texts have it. */
export function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/** A hash that matches no password: checking it makes an unknown address take as long as a known one. */
export const HASH_OF_NO_PASSWORD = currentHash(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES))

/** Whether a hash has another kind or cost than new ones. */
export function isOutdated(hash: string): boolean {
  return hash !== '' && !hash.startsWith(CURRENT)
}

/**
 * As it was typed, and in the form that is hashed here, where that is another one.
 *
 * @throws Error if the hash cannot be verified, which is no wrong password
 */
export async function passwordMatches(
  password: string,
  hash: string,
  secrets: PasswordSecrets = {},
): Promise<boolean> {
  // scrypt and PBKDF2 begin with HMAC, which pads a short key with NULs (RFC 2104 2): a password with NULs after it has
  // its hash. bcrypt ends at a NUL.
  if (hasControlCharacter(password)) return false
  const { scheme, parts } = parsed(hash) ?? {}
  if (scheme === undefined || parts === undefined) throw new Error('A password has a hash of an unknown form')
  for (const text of new Set([password, password.normalize('NFKC')]))
    if (await scheme.matches(text, parts, secrets)) return true
  return false
}

/** The name of the scheme of a hash, or why this server does not take it over. */
export function examinedHash(hash: string): { readonly scheme: string } | { readonly problem: string } {
  const { scheme, parts } = parsed(hash) ?? {}
  if (scheme === undefined || parts === undefined) return { problem: 'has an unknown form' }
  const problem = scheme.excess(parts)
  return problem === undefined ? { scheme: scheme.name(parts) } : { problem }
}

function parsed(hash: string): { readonly scheme: Scheme; readonly parts: Parts } | undefined {
  for (const scheme of SCHEMES) {
    const parts = scheme.form.exec(hash)?.groups
    if (parts !== undefined) return { scheme, parts }
  }
  return undefined
}

/** No hash is made of them: some schemes end a password at a NUL, and others ignore it. */
export function hasControlCharacter(password: string): boolean {
  return /\p{Cc}/u.test(password)
}
