import { resolve } from 'node:path'
import { isLoopbackUrl } from '@grantkit/core/feature'
import * as z from 'zod'
import { readTextFileSync } from './text-file.ts'

/** What the schema alone does not say of a field. */
export interface FieldInfo {
  /** Its environment variable. */
  readonly variable?: string
  /** Reads the text of the variable. Default: by the type of the field. */
  readonly read?: (text: string) => unknown
  /** It is a path. In a variable it starts in the working directory. */
  readonly path?: boolean
  /** Its value is never printed. */
  readonly secret?: boolean
  /** The default in words, where it is no constant. */
  readonly otherwise?: string
  /** The page of the documentation that explains it. */
  readonly guide?: string
}

export const FIELDS = z.registry<FieldInfo>()

/** A field with its description, which the documentation and the JSON Schema show. */
export function field<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  info: FieldInfo = {},
): Schema {
  const described = schema.describe(description)
  FIELDS.add(described, info)
  return described
}

/** `on` or `off` in the environment. */
export function toggle(byDefault: boolean) {
  return z.boolean().default(byDefault)
}

export function choice<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `must be ${oneOf(words)}` })
}

export function whole(what: string, min: number, max = Number.MAX_SAFE_INTEGER) {
  return z
    .number({ error: `must be ${what}` })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
}

export const seconds = (byDefault: number, min = 1, max?: number) =>
  whole('a number of seconds', min, max).default(byDefault)

export const portNumber = () => whole('a number', 1, 65_535)

export const text = () => z.string({ error: 'must be a text' }).min(1, 'must not be empty')

/** Over https, or to the local host. */
export function isSafeUrl(url: string): boolean {
  return URL.canParse(url) && (url.startsWith('https://') || isLoopbackUrl(url))
}

/** The parts of a comma-separated list. */
export function listed(list: string): string[] {
  return list.split(',').map((part) => part.trim())
}

const oneOf = (words: readonly string[]) =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words)

// Values that the configuration refers to: secrets, which it must not contain, and files.

/** Where references lead. */
export interface Origin {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder of the configuration file. Its relative paths start there. */
  readonly folder: string
}

const REFERENCES = [
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ env: z.string().min(1) }),
] as const
const EXPECTED = "{ env: 'NAME_OF_A_VARIABLE' } or { file: '/run/secrets/…' }"

/** A secret stays out of the configuration. JSON Schema knows no text that fits; the error says why. */
const SecretReference = z.union([z.string().meta({ not: {} }), ...REFERENCES], {
  error: `must be ${EXPECTED}`,
})
const UrlOrReference = z.union([z.string(), ...REFERENCES], { error: `must be a URL, ${EXPECTED}` })
type Reference = Exclude<z.output<typeof SecretReference>, string>

/**
 * A file or an environment variable that contains a secret.
 *
 * @param variable the environment variable of this field, if it has one
 */
export function secret(origin: Origin, variable?: string): z.ZodType<string, Reference> {
  return SecretReference.transform((written, context) =>
    typeof written === 'string'
      ? fromEnvironment(written, origin, context, variable)
      : contentOf(written, origin, context),
  ) as z.ZodType<string, unknown> as z.ZodType<string, Reference>
}

/** A URL, which may be written down as long as it has no password. */
export function urlWithPassword(origin: Origin, variable: string): z.ZodType<string, string | Reference> {
  return UrlOrReference.transform((written, context) => {
    if (typeof written !== 'string') return contentOf(written, origin, context)
    return hasPassword(written)
      ? fromEnvironment(written, origin, context, variable)
      : inFolder(origin, written)
  })
}

/** A password that is not encoded would be taken for the host, and a driver would print that. */
export const encoded = (url: z.ZodString) =>
  url.refine(
    (written) => !needsEncoding(written),
    'is no URL: look at its port, and percent-encode its user and its password, such as %40 for @ and %2F for /',
  )

/** A path, absolute or from the folder of the configuration file. */
export function path(origin: Origin) {
  return z
    .string({ error: 'must be the path of a file' })
    .min(1)
    .transform((name) => resolve(origin.folder, name))
}

/** `secret: process.env.MY_SECRET` is not written down: some variable has this value. */
function fromEnvironment(
  written: string,
  { environment }: Origin,
  context: z.RefinementCtx,
  variable: string | undefined,
): string {
  if (Object.values(environment).includes(written)) return written
  const instead = variable === undefined ? "{ env: 'NAME_OF_A_VARIABLE' }" : `the variable ${variable}`
  context.addIssue(
    `must not be written into the configuration, which is copied and committed: use ${instead}, or { file: '/run/secrets/…' }`,
  )
  return z.NEVER
}

function contentOf(reference: Reference, { environment, folder }: Origin, context: z.RefinementCtx): string {
  const content = 'env' in reference ? environment[reference.env] : readText(folder, reference.file, context)
  if (content === undefined && 'env' in reference)
    context.addIssue(`needs the variable ${reference.env}, which is not set`)
  return content ?? z.NEVER
}

/** Without the line break that editors add. */
function readText(folder: string, file: string, context: z.RefinementCtx): string | undefined {
  const name = resolve(folder, file)
  try {
    return readTextFileSync(name).trimEnd()
  } catch (error) {
    context.addIssue(`cannot be read from ${name}: ${reasonOf(error as NodeJS.ErrnoException)}`)
    return undefined
  }
}

const reasonOf = ({ code, message }: NodeJS.ErrnoException) => code ?? message

/** The path of an SQLite URL, from the folder of the configuration file. */
function inFolder({ folder }: Origin, url: string): string {
  const [, name] = /^sqlite:(.+)$/.exec(url) ?? []
  return name === undefined ? url : `sqlite:${resolve(folder, name)}`
}

// The URLs of databases, stores and mail servers, whose passwords are never printed.

/** `postgres://db/auth?password=…`, `smtp://mail?pass=…`, `?sslpassword=…`. */
const SECRET_MEMBER = /pass|pwd|secret|token|^(tls\.)?key$/i
const WITHOUT_HOST = /^(sqlite|memory):/

/** Whether a URL has a password: before the host, or in its query. A text that is no URL has one if it may contain one. */
export function hasPassword(url: string): boolean {
  if (WITHOUT_HOST.test(url)) return false
  const parsed = parsedUrl(url)
  if (parsed === undefined ? /:[^@]+@/.test(url) : parsed.password !== '') return true
  const [, ...members] = url.split(/[?&#;]/)
  return members.some((member) => {
    const [[name, value] = ['', '']] = new URLSearchParams(member)
    return value !== '' && SECRET_MEMBER.test(name)
  })
}

/** What anybody may read: it says whether the connection is secure. */
const TLS_MODE = /^(disable|allow|prefer|require|verify-ca|verify-full|no-verify)$/

/** `postgres://me:***@db/auth?sslmode=require&host=***`. What cannot be parsed keeps its scheme only. */
export function masked(url: string): string {
  if (WITHOUT_HOST.test(url)) return url
  const parsed = parsedUrl(url)
  if (parsed === undefined) return url.replace(/^([\w+.-]+:\/\/)?.*$/s, '$1***')
  const [place = ''] = url.split('?')
  const members = [...parsed.searchParams].map(([name, value]) =>
    name === 'sslmode' && TLS_MODE.test(value) ? `sslmode=${value}` : `${name}=***`,
  )
  const query = members.length === 0 ? '' : `?${members.join('&')}`
  return place.replace(/(\/\/[^/@:]*):[^/@]*@/, '$1:***@') + query
}

/**
 * Whether a user or password has a character that must be percent-encoded, so that a part of it would be taken for the
 * host, and be printed as one. A Postgres URL may lack the host.
 */
export function needsEncoding(url: string): boolean {
  return /^(?!sqlite)[\w+.-]+:\/\//.test(url) && parsedUrl(url.replace(/@(?=[/?]|$)/, '@host')) === undefined
}

/** Masks every URL in a text. */
export function withMaskedUrls(text: string): string {
  return text.replace(/[\w+.-]+:\/\/[^\s"'`]+/g, masked)
}

/**
 * `undefined` for what is no URL of a host, and where an `@` after the host shows that a password has a character that
 * must be encoded. Of several hosts, only the first is parsed.
 */
function parsedUrl(url: string): URL | undefined {
  const first = url.replace(/,[^@/?#]*(?=[/?#]|$)/, '')
  if (!/^[\w+.-]+:\/\//.test(url) || !URL.canParse(first)) return undefined
  const parsed = new URL(first)
  return /[@#]/.test(parsed.pathname + parsed.search + parsed.hash) ? undefined : parsed
}

/**
 * Runs work that depends on an environment variable. An error begins with its name, and ends with the command to run
 * if tables must be migrated. It never contains the value: a URL may contain a password.
 */
export async function variableAtFault<T>(
  variable: string,
  work: () => Promise<T>,
  program?: string,
): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const { message = String(cause), code } = cause as { message?: string; code?: unknown }
    throw new Error(`${variable}: ${withAdvice(withMaskedUrls(message), code, program)}`, { cause })
  }
}

function withAdvice(message: string, code: unknown, program = 'grantkit'): string {
  const allowed = `Run "${program} migrate" as a role that may create tables`
  const table: readonly (readonly [about: RegExp, advice: string])[] = [
    [
      /\bnewer release\b/,
      `Install the newer release, then run "${program} migrate" and "${program} start", or name another database`,
    ],
    [/\bno tables\b/, `${allowed}, or "${program} start", which does it too`],
  ]
  const advice = INSUFFICIENT_PRIVILEGE.includes(code)
    ? allowed
    : table.find(([about]) => about.test(message))?.[1]
  return advice === undefined ? message : `${message.replace(ADVICE_OF_STORE, '')}. ${advice}`
}

/** Of Postgres, and of MariaDB. */
const INSUFFICIENT_PRIVILEGE: readonly unknown[] = ['42501', 'ER_TABLEACCESS_DENIED_ERROR']
/** The advice of a store that is a package of its own. */
const ADVICE_OF_STORE = /: (run|call|start) [^:]*$/
