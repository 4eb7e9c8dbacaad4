import { resolve } from 'node:path'
import { listed } from './fields.ts'
import { bare, fieldsOf, type KnownField } from './known-fields.ts'
import type { ConfigSchema } from './schema.ts'

/** The variable that gave the value of a field, with its text unless that is secret. */
export interface Source {
  readonly variable: string
  readonly text?: string | undefined
}
export type Sources = ReadonlyMap<string, Source>

export interface Merged {
  readonly values: Readonly<Record<string, unknown>>
  readonly sources: Sources
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Docker and Kubernetes give secrets as files: `SECRET_FILE` names the file of `SECRET`. */
const IN_FILE = '_FILE'

/** The values of the file, replaced by those of the environment. */
export function withVariables(
  schema: ConfigSchema,
  written: Readonly<Record<string, unknown>>,
  environment: Environment,
): Merged {
  const values = copyOf(written)
  const sources = new Map<string, Source>()
  for (const field of fieldsOf(schema)) {
    const given = givenFor(field, environment)
    if (given === undefined) continue
    if (setAt(values, field.key.split('.'), given.value)) sources.set(field.key, given)
  }
  return { values, sources }
}

/** All variables, with those that name the file of a secret. */
export function variablesOf(fields: readonly KnownField[]): readonly string[] {
  return fields.flatMap(({ info: { variable, secret } }) => {
    if (variable === undefined) return []
    return secret ? [variable, variable + IN_FILE] : [variable]
  })
}

function givenFor(
  field: KnownField,
  environment: Environment,
): (Source & { readonly value: unknown }) | undefined {
  const { variable, secret } = field.info
  if (variable === undefined) return undefined
  const text = environment[variable]
  if (text !== undefined && secret) return { variable, value: { env: variable } }
  if (text !== undefined) return { variable, text, value: read(field, text) }
  const file = secret ? environment[variable + IN_FILE] : undefined
  return file === undefined ? undefined : { variable: variable + IN_FILE, value: { file: resolve(file) } }
}

/** The value that the text of a variable means. What it cannot read, the schema refuses. */
function read({ schema, info }: KnownField, text: string): unknown {
  if (info.read !== undefined) return info.read(text)
  if (info.path) return resolve(text)
  switch (bare(schema).def.type) {
    case 'number':
      return Number(text)
    case 'boolean':
      return text === 'on' ? true : text === 'off' ? false : text
    case 'array':
      return listed(text)
    default:
      return text
  }
}

/** Whether there was a place: a section that is no object is an error of its own. */
function setAt(values: Record<string, unknown>, path: readonly string[], value: unknown): boolean {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    values[name] = value
    return true
  }
  values[name] ??= {}
  const section = values[name]
  return isPlain(section) && setAt(section, rest, value)
}

/** The sections are copied, because values are set in them. What a program put in stays the same object. */
function copyOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isPlain(value) ? copyOf(value) : value]),
  )
}

export function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
