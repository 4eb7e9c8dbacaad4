import type * as z from 'zod'
import { FIELDS, type FieldInfo } from './fields.ts'
import { configSchema } from './schema.ts'

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
export function bare(schema: z.ZodType): z.ZodType {
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
