import { decodeRecord, encodeRecord } from '@grantkit/core/store-kit'
import { SHORT_NAMES } from './short-names.ts'

/**
 * The text of a record in few bytes: DynamoDB bills a write by each started kilobyte, and also for the names of members. Names
 * are short, and a list of texts that came before is written as its number. It loses nothing: a name without a short one stays
 * as it is, and a name that could be mistaken for one gets a mark.
 */
export function compactRecord(value: unknown): string {
  const record = encodeRecord(compact(value, new Map()))
  const inner = record.startsWith(BEFORE) ? record.slice(BEFORE.length, -AFTER.length) : record
  return inner.startsWith(SCHEMA) ? record : inner
}

/** @throws Error for a format that this release cannot read */
export function expandRecord<T>(text: string): T {
  const record = text.startsWith(SCHEMA) ? text : BEFORE + text + AFTER
  return expand(decodeRecord<unknown>(record), []) as T
}

/** The first format goes without saying. */
const BEFORE = '{"schema":1,"value":'
const AFTER = '}'
const SCHEMA = '{"schema":'

const FULL_NAMES = new Map(Object.entries(SHORT_NAMES).map(([full, short]) => [short, full]))
const SHORTENED = new Map(Object.entries(SHORT_NAMES))
/** Before a name that is a short one, or begins with a mark. */
const AS_IT_IS = '!'
/** The only member of an object that stands for a list: the number of that list. */
const SAME_LIST = '='

function compact(value: unknown, lists: Map<string, number>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return compactList(value, lists)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [shortName(name), compact(member, lists)]),
  )
}

function compactList(list: readonly unknown[], lists: Map<string, number>): unknown {
  if (!isTexts(list)) return list.map((item) => compact(item, lists))
  const written = JSON.stringify(list)
  const before = lists.get(written)
  if (before !== undefined) return { [SAME_LIST]: before }
  lists.set(written, lists.size)
  return list
}

/** @param lists of the record so far, in the order in which they were written */
function expand(value: unknown, lists: (readonly string[])[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return expandList(value, lists)
  if (SAME_LIST in value) return [...(lists[Number(value[SAME_LIST])] ?? [])]
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [fullName(name), expand(member, lists)]),
  )
}

function expandList(list: readonly unknown[], lists: (readonly string[])[]): readonly unknown[] {
  if (!isTexts(list)) return list.map((item) => expand(item, lists))
  lists.push(list)
  return list
}

/** An empty list is shorter than its number. */
function isTexts(list: readonly unknown[]): list is readonly string[] {
  return list.length > 0 && list.every((item) => typeof item === 'string')
}

function shortName(name: string): string {
  return SHORTENED.get(name) ?? (mustBeMarked(name) ? AS_IT_IS + name : name)
}

function mustBeMarked(name: string): boolean {
  return FULL_NAMES.has(name) || name.startsWith(AS_IT_IS) || name === SAME_LIST
}

function fullName(name: string): string {
  return FULL_NAMES.get(name) ?? (name.startsWith(AS_IT_IS) ? name.slice(AS_IT_IS.length) : name)
}
