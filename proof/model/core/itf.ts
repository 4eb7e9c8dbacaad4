/**
 * Reads traces of the model (proof/model). Values are those of the Informal Trace Format: JSON in which sets, maps and tuples have
 * members of their own.
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

/** A step in a file: its action, what that chose, and what it changed. */
type Written = readonly [action: string, picks: State, changes: State]
type State = Readonly<Record<string, unknown>>

/** The traces of a folder, in the order of their names. */
export function tracesIn(folder: string): Trace[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.sort().map((name) => ({ name, steps: stepsIn(readFileSync(join(folder, name), 'utf8')) }))
}

function stepsIn(text: string): Step[] {
  let state: State = {}
  return (JSON.parse(text) as Written[]).map(([action, picks, changes]) => {
    state = changed(state, changes)
    return { action, picks: decoded(picks) as State, state: decoded(state) as State }
  })
}

/** The state with the members that a step names. Those of a variable are its own. */
function changed(state: State, changes: State): State {
  const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = Object.entries(changes).map(([name, value]) => {
    const before = state[name]
    return [name, isRecord(value) && isRecord(before) ? { ...(before as State), ...(value as State) } : value]
  })
  return { ...state, ...Object.fromEntries(entries) }
}

/** Sets, tuples and lists become arrays, maps become `Map`. */
function decoded(encoded: unknown): unknown {
  if (Array.isArray(encoded)) return encoded.map(decoded)
  if (typeof encoded !== 'object' || encoded === null) return encoded
  if ('#set' in encoded) return decoded(encoded['#set'])
  if ('#tup' in encoded) return decoded(encoded['#tup'])
  if ('#map' in encoded) return new Map(decoded(encoded['#map']) as [unknown, unknown][])
  return Object.fromEntries(Object.entries(encoded).map(([name, value]) => [name, decoded(value)]))
}
