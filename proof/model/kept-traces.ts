/** Makes traces of the model for the replay in packages/core/test/model, and chooses those that the repository keeps. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { simulate } from './quint.ts'

const ACTION = 'mbt::actionTaken'
const PICKS = 'mbt::nondetPicks'
export const KEPT = join(import.meta.dirname, 'traces')

/** The variables that the replay reads. */
const VARIABLES = ['now', 'skew', 'device', 'grant', 'app', 'thief', 'last', ACTION, PICKS]
const STEPS = ['step', 'stepSlowly', 'stepWithFailover']

type State = Readonly<Record<string, unknown>>
interface Trace {
  readonly states: readonly State[]
}

/** @param count of each way to choose the next action */
export function freshTraces(count: number, seed?: string): Trace[] {
  return STEPS.flatMap((step) => {
    const folder = mkdtempSync(join(tmpdir(), 'model-'))
    const more = ['--mbt', '--n-traces', String(count), '--out-itf', join(folder, '{seq}.itf.json')]
    simulate({ step, invariants: [], traces: count, steps: 40, seed, more })
    const made = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    rmSync(folder, { recursive: true })
    return made.map((text) => ({ states: (JSON.parse(text) as Trace).states.map(small) }))
  })
}

function small(state: State): State {
  return Object.fromEntries(VARIABLES.map((name) => [name, withoutUnusedPicks(state[name])]))
}

/** Also writes a number as a number, which the format allows where it is exact. */
function withoutUnusedPicks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnusedPicks)
  if (typeof value !== 'object' || value === null) return value
  if ('#bigint' in value) return Number(value['#bigint'])
  const used = Object.entries(value).filter(([, pick]) => (pick as { tag?: string } | null)?.tag !== 'None')
  return Object.fromEntries(used.map(([name, member]) => [name, withoutUnusedPicks(member)]))
}

/** Those that show the most in the fewest states: first each single thing, then as many pairs as have a place. */
export function chosen(traces: readonly Trace[], most: number): Trace[] {
  const single = shortest(traces, most, thingsOf)
  return [...single, ...shortest(traces, most - single.length, pairsOf)]
}

/** Each is cut after the last thing that no earlier one shows. */
function shortest(traces: readonly Trace[], most: number, thingsIn: typeof thingsOf): Trace[] {
  const shown = new Set<string>()
  const kept: Trace[] = []
  while (kept.length < most) {
    const gains = traces.map((trace) => ({ trace, gain: newIn(trace, shown, thingsIn) }))
    const best = gains.toSorted((left, right) => worth(right.gain) - worth(left.gain))[0]
    if (best === undefined || best.gain.size === 0) break
    kept.push({ states: best.trace.states.slice(0, lengthOf(best.gain)) })
    for (const thing of best.gain.keys()) shown.add(thing)
  }
  return kept
}

/** Each trace also costs its beginning, which is much the same in all. */
function worth(gain: ReadonlyMap<string, number>): number {
  return gain.size / (10 + lengthOf(gain))
}

function lengthOf(gain: ReadonlyMap<string, number>): number {
  return Math.max(0, ...gain.values()) + 1
}

/** What a trace shows first, and in which state. */
function newIn(
  { states }: Trace,
  shown: ReadonlySet<string>,
  thingsIn: typeof thingsOf,
): Map<string, number> {
  const found = new Map<string, number>()
  for (const [at, state] of states.entries())
    for (const thing of thingsIn(state, states[at - 1]))
      if (!shown.has(thing) && !found.has(thing)) found.set(thing, at)
  return found
}

interface Shown {
  readonly now: number
  readonly device: string
  readonly grant: { readonly phase: string; readonly gen: number; readonly shared: boolean } & {
    readonly recent: readonly unknown[]
    readonly access: { readonly '#set': readonly { readonly parent: number }[] }
  }
  readonly last: {
    readonly what: string
    readonly result: string
    readonly age: number
    readonly judged: boolean
  }
}

/** An action with its result, from each kind of record. */
function thingsOf(state: State, before: State | undefined): string[] {
  const { grant, last, now } = state as unknown as Shown
  const from = before === undefined ? 'start' : kindIn(before)
  const spent = last.judged ? `of a spent token, ${Math.min(Math.floor(last.age / 4), 3)} windows old` : ''
  const exchanged = grant.access['#set'].filter(({ parent }) => parent >= 0).length
  return [
    `${last.what} ${last.result} ${spent} in ${from}`,
    // A code expires, and so do a consent ticket and a device code.
    ...(/^(open|gone|pending|allowed)/.test(from)
      ? [`${last.what} ${last.result} in ${from} at ${Math.min(now, 3)}`]
      : []),
    `generation ${Math.min(grant.gen, 5)}`,
    `${Math.min(grant.recent.length, 3)} recent rotations`,
    `${Math.min(exchanged, 2)} exchanged tokens in ${grant.phase}`,
    `${from} to ${kindIn(state)}`,
  ]
}

/** Two steps in a row, with their results. */
function pairsOf(state: State, before: State | undefined): string[] {
  const [{ last }, earlier] = [state, before] as unknown as [Shown, Shown | undefined]
  const { what, result } = earlier?.last ?? {}
  return [`${what} ${result}, then ${last.what} ${last.result} to ${kindIn(state)}`]
}

/** The state of the grant, and of the device that asks for it. */
function kindIn(state: State): string {
  const { device, grant } = state as unknown as Shown
  if (device === 'none') return kindOf(grant)
  return `${grant.phase === 'none' ? device : kindOf(grant)} of a device`
}

/** The states of the diagram in docs/concepts/tokens-and-grants.md. */
export function kindOf({ phase, shared, gen }: Pick<Shown['grant'], 'phase' | 'shared' | 'gen'>): string {
  return phase === 'live' ? (shared ? 'shared' : gen > 0 ? 'rotated' : 'live') : phase
}

/**
 * Writes a step in a line, so that a diff is one of steps: the action, what it chose, and the members of the state that it
 * changed.
 */
export function writeTraces(folder: string, traces: readonly Trace[]): void {
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder)) if (file.endsWith('.json')) rmSync(join(folder, file))
  for (const [at, { states }] of traces.entries()) {
    const read = states.map(withoutWhatChose)
    const lines = read.map((state, step) => JSON.stringify(stepOf(state, read[step - 1])))
    writeFileSync(join(folder, `${String(at + 1).padStart(3, '0')}.json`), `[\n${lines.join(',\n')}\n]\n`)
  }
}

function stepOf({ [ACTION]: action, [PICKS]: picks, ...state }: State, before: State = {}) {
  const chosen = Object.entries(picks as Record<string, { readonly value: unknown }>)
  return [
    action,
    Object.fromEntries(chosen.map(([name, { value }]) => [name, value])),
    changesOf(state, before, (value, earlier) =>
      changesOf(value as State, earlier as State, (member) => member),
    ),
  ]
}

/** @param partOf what is written of a value that has members */
function changesOf(
  state: State,
  before: State,
  partOf: (value: unknown, earlier: unknown) => unknown,
): State {
  const changed = Object.entries(state).filter(([name, value]) => !isDeepStrictEqual(value, before[name]))
  const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  return Object.fromEntries(
    changed.map(([name, value]) => {
      const earlier = before[name]
      return [name, isRecord(value) && isRecord(earlier) ? partOf(value, earlier) : value]
    }),
  )
}

/** Members that `chosen` reads, and the replay does not. */
function withoutWhatChose(state: State): State {
  const { app, last } = state as unknown as Shown & { readonly app: { readonly holds: unknown } }
  const { chance: _, flow: __, ...picks } = state[PICKS] as State
  const { what, result } = last
  return { ...state, app: { holds: app.holds }, last: { what, result }, [PICKS]: picks }
}
