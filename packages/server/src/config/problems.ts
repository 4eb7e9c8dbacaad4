import { closest, distance } from 'fastest-levenshtein'
import type * as z from 'zod'
import { hasPassword } from './fields.ts'
import type { ConfigSchema } from './schema.ts'
import { withIds } from './text-file.ts'
import {
  fieldsOf,
  isPlain,
  isSecretAt,
  type Merged,
  namesAt,
  type Source,
  type Sources,
} from './variables.ts'

/** The problems that a schema found, each a sentence with the key, what would be right, and the value. */
export function problemsOf(
  schema: ConfigSchema,
  merged: Merged,
  issues: readonly z.core.$ZodIssue[],
): string[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownKey(schema, merged, issue.path, key))
    return [`${nameOf(merged, issue.path)} ${messageOf(issue, merged)}${wrongValue(schema, merged, issue)}`]
  })
}

/** What would be right, for schemas that do not say it. */
export function expected(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type') return `must be ${TYPES[issue.expected] ?? issue.expected}`
  return issue.code === 'too_small' ? 'must not be empty' : 'is not valid'
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
}

/** Secrets in a configuration are copied with it, also where a variable replaces them. */
export function overriddenSecrets(
  schema: ConfigSchema,
  written: Readonly<Record<string, unknown>>,
  { sources }: Merged,
): string[] {
  return fieldsOf(schema).flatMap(({ key, schema: field, info }) => {
    const value = info.secret && sources.has(key) ? at(written, key.split('.')) : undefined
    const issues = typeof value === 'string' ? (field.safeParse(value).error?.issues ?? []) : []
    return issues.filter(({ code }) => code === 'custom').map(({ message }) => `${key} ${message}`)
  })
}

/** The variable that gave the value, or the key in the file. */
export function nameOf({ sources, values }: Merged, path: readonly PropertyKey[]): string {
  return sourceOf(sources, path)?.variable ?? keyOf(withIds(path, values))
}

/** A part of a value has the source of the whole. */
function sourceOf(sources: Sources, path: readonly PropertyKey[]): Source | undefined {
  if (path.length === 0) return undefined
  return sources.get(keyOf(path)) ?? sourceOf(sources, path.slice(0, -1))
}

/** Names that need quotes have them: `resources["https://api.example"].lifetime`. */
function keyOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : quoted(String(part))))
    .join('')
    .replace(/^\./, '')
}

function quoted(name: string): string {
  return /^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

function messageOf(issue: z.core.$ZodIssue, merged: Merged): string {
  const isText = sourceOf(merged.sources, issue.path) !== undefined
  if (issue.code === 'invalid_type' && issue.expected === 'boolean' && isText) return 'must be on or off'
  if (issue.code === 'invalid_type' && at(merged.values, issue.path) === undefined) return 'is missing'
  return issue.message
}

/** A check of several values names the wrong one itself. */
function wrongValue(schema: ConfigSchema, merged: Merged, issue: z.core.$ZodIssue): string {
  if (isSecretAt(schema, issue.path)) return ''
  const wrong = issue.code === 'custom' ? issue.params?.wrong : undefined
  return wrong === undefined ? valueAt(merged, issue.path) : notThis(wrong)
}

/** The value as the end of a sentence. Not for fields that are secret. */
export function valueAt(merged: Merged, path: readonly PropertyKey[]): string {
  const source = sourceOf(merged.sources, path)
  const value = source === undefined ? at(merged.values, path) : source.text
  return SECRET.test(keyOf(path)) ? '' : notThis(value)
}

/** Never something that contains a secret, nor a URL with a password. */
function notThis(value: unknown): string {
  const printed = JSON.stringify(value)
  if (printed === undefined || SECRET.test(printed)) return ''
  return hasPassword(typeof value === 'string' ? value : printed)
    ? ''
    : `, not ${printed.slice(0, MAX_PRINTED)}`
}

const MAX_PRINTED = 100

/** In the name of a field, and in the JSON of an object: `users.key`. */
const SECRET = /secret|\bkey\b/i

export function at(values: unknown, path: readonly PropertyKey[]): unknown {
  const [name, ...rest] = path
  if (name === undefined) return values
  const isInside = isPlain(values) || Array.isArray(values)
  return isInside ? at((values as Record<PropertyKey, unknown>)[name], rest) : undefined
}

function unknownKey(
  schema: ConfigSchema,
  { values }: Merged,
  path: readonly PropertyKey[],
  key: string,
): string {
  const named = withIds(path, values)
  const whole = keyOf([...named, key])
  const known = namesAt(schema, path).filter((name) => name !== '$schema')
  const near = known.length === 0 ? '' : closest(key, [...known])
  if (near !== '' && distance(key.toLowerCase(), near.toLowerCase()) <= 1 + key.length / 4)
    return `${whole} is unknown: did you mean ${keyOf([...named, near])}?`
  const inside = fieldsOf(schema).flatMap((field) => endingWith(key, field.key.split('.')))
  const elsewhere = inside.find((name) => name.startsWith(path.map((part) => `${String(part)}.`).join('')))
  if (elsewhere !== undefined) return `${whole} is unknown: did you mean ${elsewhere}?`
  return `${whole} is unknown. Known: ${known.join(', ')}`
}

/** A field of this name, or a section. */
function endingWith(name: string, path: readonly string[]): readonly string[] {
  const index = path.indexOf(name)
  return index < 0 ? [] : [path.slice(0, index + 1).join('.')]
}
