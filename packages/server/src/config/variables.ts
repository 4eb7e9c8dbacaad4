import { resolve } from 'node:path'
import type * as z from 'zod'
import { FIELDS, type FieldInfo, listed } from './fields.ts'
import { type ConfigSchema, configSchema } from './schema.ts'

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

/** A field of the schema with its place: `features.dpop.mode`. */
export interface KnownField {
  readonly key: string
  readonly schema: z.ZodType
  readonly info: FieldInfo
}

/** All fields, for programs that describe them. */
export function knownFields(): readonly KnownField[] {
  return fieldsOf(configSchema({ environment: {}, folder: '.' }))
}

/** All fields of a schema, those of its sections too. */
export function fieldsOf(schema: z.ZodType, prefix = ''): readonly KnownField[] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, inner]) => {
    if (!FIELDS.has(inner)) return fieldsOf(inner, `${prefix}${name}.`)
    // The registry has no empty entries.
    return [{ key: `${prefix}${name}`, schema: inner, info: FIELDS.get(inner) ?? {} }]
  })
}

/** The names that an object at this place may have. */
export function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const [name, ...rest] = path
  if (name !== undefined) return nextAt(schema, name).flatMap((next) => namesAt(next, rest))
  const names = optionsOf(schema).flatMap((option) => Object.keys(shapeOf(option) ?? {}))
  return [...new Set(names)]
}

/** Whether the value at this place is a secret, or part of one. */
export function isSecretAt(schema: z.ZodType, [name, ...rest]: readonly PropertyKey[]): boolean {
  if (name === undefined) return false
  return nextAt(schema, name).some((next) => FIELDS.get(next)?.secret || isSecretAt(next, rest))
}

/** The schemas that the member of an object, array or record may have. */
function nextAt(schema: z.ZodType, name: PropertyKey): readonly z.ZodType[] {
  return optionsOf(schema).flatMap((option) => shapeOf(option)?.[String(name)] ?? elementOf(option) ?? [])
}

/** Of a union, or the schema itself. */
function optionsOf(schema: z.ZodType): readonly z.ZodType[] {
  const inside = bare(schema)
  return (inside.def as { options?: readonly z.ZodType[] }).options?.flatMap(optionsOf) ?? [inside]
}

/** Without the wrappers of defaults. */
function bare(schema: z.ZodType): z.ZodType {
  const {
    innerType,
    in: input,
    type,
  } = schema.def as unknown as { innerType?: z.ZodType; in?: z.ZodType; type: string }
  if (innerType !== undefined) return bare(innerType)
  return type === 'pipe' && input !== undefined ? bare(input) : schema
}

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  return (bare(schema).def as { shape?: Readonly<Record<string, z.ZodType>> }).shape
}

/** Of an array or a record. */
function elementOf(schema: z.ZodType): z.ZodType | undefined {
  const { element, valueType } = schema.def as { element?: z.ZodType; valueType?: z.ZodType }
  return element ?? valueType
}
