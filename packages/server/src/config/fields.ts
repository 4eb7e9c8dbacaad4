import * as z from 'zod'

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

/** The parts of a comma-separated list. */
export function listed(list: string): string[] {
  return list.split(',').map((part) => part.trim())
}

const oneOf = (words: readonly string[]) =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words)
