import { START, type State, statesAfter } from './automaton.ts'
import type { Operation } from './operation.ts'
import type { Subject } from './rules/rule.ts'

/** More operations without an answer than this make the search too long. */
export const MAX_OPEN = 16
const MAX_VISITS = 100_000
/** In a longer family the rules see what is wrong; the search would copy its state too often. */
const MAX_OPERATIONS = 500

export type Explained = 'yes' | 'no' | 'unknown'

/** A place in the search: the operations that took effect so far, and the state that they left. */
interface Place {
  readonly state: State
  /** All answered operations before this one took effect, in the order in which they were sent. */
  readonly from: number
  /** Those after it that did, ascending. */
  readonly ahead: readonly number[]
  /** One bit for each operation without an answer. */
  readonly open: number
}

/**
 * Whether there is an order of the operations, each between its request and its answer, in which a correct server answers
 * so: the search of Wing and Gong, with Lowe's memory of what it saw. An operation without an answer takes effect at any
 * time after its request, or never.
 */
export function explain(subject: Subject): Explained {
  const answered = subject.family.operations.filter(({ result }) => result !== 'info')
  const unanswered = subject.family.operations.filter(({ result }) => result === 'info')
  if (unanswered.length > MAX_OPEN || answered.length > MAX_OPERATIONS) return 'unknown'
  const seen = new Set<string>()
  const stack: Place[] = [{ state: START, from: 0, ahead: [], open: 0 }]
  for (let visits = 0; visits < MAX_VISITS; visits += 1) {
    const place = stack.pop()
    if (place === undefined) return 'no'
    if (place.from === answered.length) return 'yes'
    // Without another branch nothing can lead here again.
    if (stack.length > 0) {
      const name = nameOf(place)
      if (seen.has(name)) continue
      seen.add(name)
    }
    stack.push(...stepsFrom(subject, place, { answered, unanswered }))
  }
  return 'unknown'
}

interface Parts {
  readonly answered: readonly Operation[]
  readonly unanswered: readonly Operation[]
}

/** The places that one more operation leads to, the likeliest last. */
function stepsFrom(subject: Subject, place: Place, { answered, unanswered }: Parts): Place[] {
  const { candidates, first } = nextAnswered(place, answered)
  const steps: Place[] = []
  unanswered.forEach((operation, index) => {
    if ((place.open >> index) & 1 || operation.invoked > first) return
    for (const state of statesAfter(subject, place.state, operation))
      if (state !== place.state) steps.push({ ...place, state, open: place.open | (1 << index) })
  })
  for (const index of candidates.reverse()) {
    const operation = answered[index]
    if (operation === undefined) continue
    for (const state of statesAfter(subject, place.state, operation))
      steps.push({ ...advanced(place, index), state })
  }
  return steps
}

/** Only what was sent before the first answer that is left can come next. */
function nextAnswered({ from, ahead }: Place, answered: readonly Operation[]) {
  const candidates: number[] = []
  let first = Number.POSITIVE_INFINITY
  for (let index = from; index < answered.length; index += 1) {
    const { invoked = 0, returned = 0 } = answered[index] ?? {}
    if (invoked > first) break
    if (ahead.includes(index)) continue
    first = Math.min(first, returned)
    candidates.push(index)
  }
  return { candidates, first }
}

function advanced(place: Place, index: number): Pick<Place, 'from' | 'ahead' | 'open'> {
  const ahead = [...place.ahead, index].sort((a, b) => a - b)
  let from = place.from
  while (ahead[0] === from) {
    ahead.shift()
    from += 1
  }
  return { from, ahead, open: place.open }
}

function nameOf({ state, from, ahead, open }: Place): string {
  const spent = [...state.spent].map(([key, { id }]) => `${key}:${id}`).sort()
  const flags = [state.ended, state.endedForAccess].map(Number).join('')
  return `${from}|${ahead}|${open}|${spent}|${[...state.revoked].sort()}|${flags}|${state.newest}`
}
