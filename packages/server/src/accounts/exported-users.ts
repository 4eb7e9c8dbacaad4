import { displayText } from '@grantkit/core/internal'
import * as z from 'zod'
import { faultsOf, parseJsonFile } from '../config/text-file.ts'
import { parseJson } from '../http/bodies-and-answers.ts'
import { addressOf } from './accounts.ts'
import { examinedHash, unpadded } from './password-hashes.ts'
import { SUB_EXPECTED, SUB_FORM } from './user-claims.ts'

/** Users of other systems with the hashes of their passwords, in the files that those systems export. */

/** A user whom a file has. */
export interface ExportedUser {
  /** The id in the other system, which becomes `sub`. */
  readonly id: string | undefined
  readonly email: string
  readonly email_verified: boolean
  readonly name: string
  readonly given_name?: string | undefined
  readonly family_name?: string | undefined
  /** Empty: there is no password. */
  readonly hash: string
}

/** @param place in the file, such as `line 3` */
export type ExportedEntry = { readonly place: string } & (
  | { readonly user: ExportedUser; readonly scheme: string }
  | { readonly problem: string }
)

interface ExportOptions {
  readonly from: Source
  /** Whether addresses count as verified, unless the file says of one that it is not. */
  readonly emailsVerified: boolean
  /** Whether the hashes of Devise have a pepper. */
  readonly pepper: boolean
  /** Of Firebase. */
  readonly hashConfig?: FirebaseHashConfig | undefined
}

/** @throws Error if the file has no list of users */
export function* exportedUsersOf(
  path: string,
  text: string,
  options: ExportOptions,
): Generator<ExportedEntry> {
  for (const { place, value } of entriesOf(path, text)) {
    const read = value === undefined ? { problem: 'is not JSON' } : userOf(value, options)
    yield { place, ...read }
  }
}

interface Entry {
  readonly place: string
  /** `undefined`: it is not JSON. */
  readonly value: unknown
}

const Document = z.union([
  z.array(z.unknown()),
  z.object({ users: z.array(z.unknown()) }).transform(({ users }) => users),
])

/** A JSON value on each line, an array, or an object with `users`. */
function* entriesOf(path: string, text: string): Generator<Entry> {
  const [first = ''] = text.trimStart().split('\n', 1)
  const user = parseJson(first)
  if (typeof user === 'object' && !Document.safeParse(user).success) {
    for (const [at, line] of text.split('\n').entries())
      if (line.trim() !== '') yield { place: `line ${at + 1}`, value: parseJson(line) }
    return
  }
  const { data } = Document.safeParse(parseJsonFile(path, text))
  if (data === undefined)
    throw new Error(`${path} has no users: a line for each, an array, or { "users": […] }`)
  for (const [at, value] of data.entries()) yield { place: `user ${at + 1}`, value }
}

function userOf(value: unknown, options: ExportOptions) {
  const source: z.ZodType<ReadUser<unknown>> = SOURCES[options.from]
  const { data, error } = source.safeParse(value)
  if (data === undefined) return { problem: faultsOf(error) }
  const { id, email, names, verified, disabled, password } = data
  if (id !== undefined && !SUB_FORM.test(id)) return { problem: `id: ${SUB_EXPECTED}` }
  if (disabled) return { problem: 'is disabled there' }
  const hash = HASH_OF[options.from](password, options)
  const examined = hash === '' ? { scheme: 'no password' } : examinedHash(hash)
  if ('problem' in examined) return { problem: hashProblem(hash, examined.problem) }
  const [given_name, family_name] = [names.given, names.family].map(shownName)
  const name = shownName(names.name) ?? ([given_name, family_name].filter(Boolean).join(' ') || email)
  const email_verified = options.emailsVerified && verified !== false
  return { user: { id, email, email_verified, name, given_name, family_name, hash }, ...examined }
}

function shownName(name: string | null | undefined): string | undefined {
  return displayText((name ?? '').slice(0, 200)).trim() || undefined
}

/** Django's names, `$1$` of crypt, and bare digests. */
const TOO_WEAK = /^(?:(?:unsalted_)?(?:md5|sha1)\$|\$1\$|[0-9a-f]{32}$|[0-9a-f]{40}$)/i

function hashProblem(hash: string, problem: string): string {
  return TOO_WEAK.test(hash)
    ? 'the password has a hash with MD5 or SHA-1, which is not taken over: add the user with a long random password, and let them use "Forgot your password?"'
    : `the hash of the password ${problem}`
}

// What each system calls it. A user has more members, which are not read.

const Text = z.string().nullish()
/** Databases without a type for it have 0 and 1. */
const Mark = z.union([z.boolean(), z.literal([0, 1]).transform(Boolean)]).nullish()
/** A time, or `null`: not yet. */
const Since = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((time) => (time === undefined ? undefined : time !== null))
const Id = z.union([z.string(), z.number().int()]).transform(String)
const Address = z.email().max(254).transform(addressOf)
const Base64 = z.string().regex(/^[\w+/-]+={0,2}$/, 'must be base64')

interface Names {
  readonly name?: string | null | undefined
  readonly given?: string | null | undefined
  readonly family?: string | null | undefined
}

/** What is read of a user, in the words of this server. */
interface ReadUser<Password> {
  readonly id: string | undefined
  readonly email: string
  readonly names: Names
  /** `undefined`: the system does not say. */
  readonly verified?: boolean | null | undefined
  readonly disabled?: boolean | null | undefined
  readonly password: Password
}

function inJson<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context) => {
      const value = parseJson(text)
      if (value === undefined) context.addIssue('is not JSON')
      return value
    })
    .pipe(schema)
}

const KeycloakCredential = z.object({
  secretData: inJson(z.object({ value: Base64, salt: Base64 })),
  credentialData: inJson(
    z.object({
      algorithm: z.string(),
      hashIterations: z.number(),
      additionalParameters: z.record(z.string(), z.array(z.string())).nullish(),
    }),
  ),
})

/** The output of all is a `ReadUser`, whose password the function of the same name in `HASH_OF` reads. */
const SOURCES = {
  /** `manage.py dumpdata auth.user` */
  django: z
    .object({
      pk: Id,
      fields: z.object({
        ...{ email: Address, password: Text, is_active: Mark },
        ...{ first_name: Text, last_name: Text, username: Text },
      }),
    })
    .transform(({ pk: id, fields: { email, password, is_active, ...names } }) => ({
      ...{ id, email, password, disabled: is_active === false },
      names: { given: names.first_name, family: names.last_name },
    })),
  devise: z
    .object({ id: Id, email: Address, encrypted_password: Text, confirmed_at: Since, name: Text })
    .transform(({ id, email, encrypted_password: password, confirmed_at: verified, name }) => ({
      ...{ id, email, password, verified, names: { name } },
    })),
  laravel: z
    .object({ id: Id, email: Address, password: Text, email_verified_at: Since, name: Text })
    .transform(({ id, email, password, email_verified_at: verified, name }) => ({
      ...{ id, email, password, verified, names: { name } },
    })),
  auth0: z
    .object({
      ...{ _id: z.object({ $oid: z.string() }), email: Address, email_verified: Mark },
      ...{ passwordHash: Text, name: Text, blocked: Mark },
    })
    .transform(
      ({ _id, email, passwordHash: password, email_verified: verified, name, blocked: disabled }) => ({
        ...{ id: `auth0|${_id.$oid}`, email, password, verified, disabled, names: { name } },
      }),
    ),
  keycloak: z
    .object({
      ...{ id: Id, email: Address, emailVerified: Mark, enabled: Mark, firstName: Text, lastName: Text },
      credentials: z.array(z.looseObject({ type: z.string().optional() })).default([]),
    })
    .transform(
      ({ id, email, emailVerified: verified, enabled, firstName, lastName, credentials }, context) => {
        const credential = credentials.find(({ type }) => type === 'password')
        const { data, error } = KeycloakCredential.optional().safeParse(credential)
        if (error) context.addIssue(`credentials: ${faultsOf(error)}`)
        const names = { given: firstName, family: lastName }
        return { id, email, verified, disabled: enabled === false, names, password: data }
      },
    ),
  /** `firebase auth:export` */
  firebase: z
    .object({
      ...{ localId: Id, email: Address, emailVerified: Mark, disabled: Mark, displayName: Text },
      ...{ passwordHash: Base64.optional(), salt: Base64.optional() },
    })
    .transform(
      ({ localId: id, email, emailVerified: verified, disabled, displayName: name, ...password }) => ({
        ...{ id, email, verified, disabled, names: { name }, password },
      }),
    ),
  /** Rows of `AspNetUsers`. */
  aspnet: z
    .object({ Id, Email: Address, EmailConfirmed: Mark, PasswordHash: Base64.nullish() })
    .transform(({ Id: id, Email: email, EmailConfirmed: verified, PasswordHash: password }) => ({
      ...{ id, email, verified, password, names: {} },
    })),
  phc: z
    .object({ id: Id.optional(), email: Address, email_verified: Mark, name: Text, password: Text })
    .transform(({ id, email, email_verified: verified, name, password }) => ({
      ...{ id, email, verified, password, names: { name } },
    })),
} satisfies Record<string, z.ZodType<ReadUser<unknown>>>

export type Source = keyof typeof SOURCES
export const IMPORT_SOURCES = Object.keys(SOURCES) as readonly Source[]

type PasswordOf<From extends Source> = z.output<(typeof SOURCES)[From]>['password']

/** The hash as the database has it; empty without a password. A text of another form is returned as it is. */
const HASH_OF = {
  django: (password) => djangoHash(password ?? ''),
  devise: (password, { pepper }) => (password && pepper ? `bcrypt_pepper$${password}` : (password ?? '')),
  laravel: (password) => password ?? '',
  auth0: (password) => password ?? '',
  keycloak: (credential) => (credential === undefined ? '' : keycloakHash(credential)),
  firebase: ({ passwordHash, salt }, { hashConfig }) =>
    passwordHash && hashConfig ? firebaseHash(passwordHash, salt ?? '', hashConfig) : '',
  aspnet: (password) => (password ? aspnetHash(Buffer.from(password, 'base64')) : ''),
  phc: (password) => phcHash(password ?? ''),
} satisfies { [From in Source]: (password: PasswordOf<From>, options: ExportOptions) => string } as Record<
  Source,
  (password: unknown, options: ExportOptions) => string
>

/** https://docs.djangoproject.com/en/5.2/topics/auth/passwords/ */
function djangoHash(text: string): string {
  // What `set_unusable_password` writes.
  if (text.startsWith('!')) return ''
  const [algorithm = '', ...parts] = text.split('$')
  const [first, salt = '', ...rest] = parts
  switch (algorithm) {
    case 'argon2':
    case 'bcrypt':
      return text.slice(algorithm === 'argon2' ? algorithm.length : algorithm.length + 1)
    case 'pbkdf2_sha1':
    case 'pbkdf2_sha256':
      return pbkdf2Hash(algorithm.slice('pbkdf2_'.length), Number(first), Buffer.from(salt), rest[0])
    case 'scrypt': {
      const [r, p, key] = rest
      return scryptHash(Number(first), Number(r), Number(p), Buffer.from(salt), key)
    }
    default:
      return text
  }
}

/** https://github.com/P-H-C/phc-string-format: that of scrypt has the logarithm of the cost. */
function phcHash(text: string): string {
  const [, ln, r, p, salt = '', key] =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(text) ?? []
  return ln === undefined
    ? text
    : scryptHash(2 ** Number(ln), Number(r), Number(p), Buffer.from(salt, 'base64'), key)
}

/** @param key in base64 */
function pbkdf2Hash(digest: string, iterations: number, salt: Buffer, key: string | undefined): string {
  return `$pbkdf2-${digest}$i=${iterations}$${unpadded(salt)}$${key?.replaceAll('=', '') ?? ''}`
}

function scryptHash(N: number, r: number, p: number, salt: Buffer, key: string | undefined): string {
  const urlSafe = key?.replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_')
  return ['scrypt', N, r, p, salt.toString('base64url'), urlSafe].join('$')
}

/** The algorithms of Keycloak, by its names. */
const KEYCLOAK_DIGESTS = new Map([
  ['pbkdf2', 'sha1'],
  ['pbkdf2-sha256', 'sha256'],
  ['pbkdf2-sha512', 'sha512'],
])

function keycloakHash({ secretData, credentialData }: z.output<typeof KeycloakCredential>): string {
  const { algorithm, hashIterations, additionalParameters } = credentialData
  const digest = KEYCLOAK_DIGESTS.get(algorithm)
  const salt = Buffer.from(secretData.salt, 'base64')
  if (digest !== undefined) return pbkdf2Hash(digest, hashIterations, salt, secretData.value)
  const { type = [], version = [], memory = [], parallelism = [] } = additionalParameters ?? {}
  // 1.3 is 0x13, the version of RFC 9106.
  if (algorithm !== 'argon2' || version[0] !== '1.3') return algorithm
  const costs = `m=${memory[0]},t=${hashIterations},p=${parallelism[0]}`
  return `$argon2${type[0]}$v=19$${costs}$${unpadded(salt)}$${unpadded(Buffer.from(secretData.value, 'base64'))}`
}

const ASPNET_DIGESTS = ['sha1', 'sha256', 'sha512']

/** `PasswordHasher` of ASP.NET Core Identity: the first byte is the version. */
function aspnetHash(bytes: Buffer): string {
  if (bytes[0] === 0 && bytes.length === 49)
    return pbkdf2Hash('sha1', 1000, bytes.subarray(1, 17), unpadded(bytes.subarray(17)))
  if (bytes[0] !== 1 || bytes.length < 13) return 'of another version'
  const keyAt = 13 + bytes.readUInt32BE(9)
  const digest = ASPNET_DIGESTS[bytes.readUInt32BE(1)] ?? 'unknown'
  return pbkdf2Hash(digest, bytes.readUInt32BE(5), bytes.subarray(13, keyAt), unpadded(bytes.subarray(keyAt)))
}

/** The hash parameters of a Firebase project, which its console shows. */
export interface FirebaseHashConfig {
  readonly signerKey: Buffer
  readonly saltSeparator: Buffer
  readonly rounds: number
  readonly memCost: number
}

/** Reads the text of the console. @throws Error that names what is missing */
export function firebaseHashConfig(path: string, text: string): FirebaseHashConfig {
  const member = (name: string): string => {
    const [, value] = new RegExp(`\\b${name}["']?\\s*[:=]\\s*["']?([\\w+/=-]+)`).exec(text) ?? []
    if (value === undefined)
      throw new Error(`${path} has no ${name}: copy the hash parameters of the Firebase console`)
    return value
  }
  return {
    signerKey: Buffer.from(member('base64_signer_key'), 'base64'),
    saltSeparator: Buffer.from(member('base64_salt_separator'), 'base64'),
    rounds: Number(member('rounds')),
    memCost: Number(member('mem_cost')),
  }
}

/**
 * Firebase encrypts the key of the project with AES-256-CTR under the key that scrypt makes of the password. What is left
 * without the key of the project is the key stream, which only the password makes: so no sign-in needs the key of the project.
 */
function firebaseHash(passwordHash: string, salt: string, config: FirebaseHashConfig): string {
  const { signerKey, saltSeparator, rounds, memCost } = config
  const stream = Buffer.from(passwordHash, 'base64').map((byte, at) => byte ^ (signerKey[at] ?? 0))
  const salted = Buffer.concat([Buffer.from(salt, 'base64'), saltSeparator])
  return [
    'firebase_scrypt',
    2 ** memCost,
    rounds,
    salted.toString('base64url'),
    Buffer.from(stream).toString('base64url'),
  ].join('$')
}
