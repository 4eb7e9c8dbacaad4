/**
 * Reads traces of the model (docs/model) in the Informal Trace Format: JSON in which whole numbers, sets, maps, tuples and
 * variants have members of their own.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What Quint wrote: the action, what it chose, and the state after it. */
export interface Step {
  readonly action: string
  /** By the names of the `nondet` declarations. Only those of the action mean something. */
  readonly picks: Readonly<Record<string, unknown>>
  readonly state: Readonly<Record<string, unknown>>
}

export interface Trace {
  readonly name: string
  /** The first one is `init`. */
  readonly steps: readonly Step[]
}

const ACTION = 'mbt::actionTaken'
const PICKS = 'mbt::nondetPicks'

/** The traces of a folder, in the order of their names. @throws Error that names the file */
export function tracesIn(folder: string): Trace[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.itf.json'))
  return files
    .sort()
    .map((name) => ({ name, steps: stepsOf(name, readFileSync(join(folder, name), 'utf8')) }))
}

function stepsOf(name: string, text: string): Step[] {
  const { states } = JSON.parse(text) as { states?: readonly Record<string, unknown>[] }
  if (states === undefined) throw new Error(`${name} has no states`)
  return states.map(({ [ACTION]: action, [PICKS]: picks, '#meta': _meta, ...state }, at) => {
    if (typeof action !== 'string')
      throw new Error(`${name}: state ${at} names no action: run Quint with --mbt`)
    return {
      action,
      picks: pickedOf(decoded(picks) as Record<string, unknown>),
      state: decoded(state) as Record<string, unknown>,
    }
  })
}

/** A pick is a variant, `Some` with its value, or `None`. */
function pickedOf(picks: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const made = Object.entries(picks).flatMap(([name, pick]) => {
    const { tag, value } = pick as { tag: string; value: unknown }
    return tag === 'Some' ? [[name, value] as const] : []
  })
  return Object.fromEntries(made)
}

/** Sets, tuples and lists become arrays, maps become `Map`. @throws RangeError for a number that is not safe */
function decoded(encoded: unknown): unknown {
  if (Array.isArray(encoded)) return encoded.map(decoded)
  if (typeof encoded !== 'object' || encoded === null) return encoded
  if ('#bigint' in encoded) return numberOf(String(encoded['#bigint']))
  if ('#set' in encoded) return decoded(encoded['#set'])
  if ('#tup' in encoded) return decoded(encoded['#tup'])
  if ('#map' in encoded) return new Map(decoded(encoded['#map']) as [unknown, unknown][])
  return Object.fromEntries(Object.entries(encoded).map(([name, value]) => [name, decoded(value)]))
}

function numberOf(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is no safe integer`)
  return number
}
