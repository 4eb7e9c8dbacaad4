import { resolve } from 'node:path'
import * as z from 'zod'
import { readTextFileSync } from './text-file.ts'
import { hasPassword, needsEncoding } from './url-passwords.ts'

/** Values that the configuration refers to: secrets, which it must not contain, and files. */

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
