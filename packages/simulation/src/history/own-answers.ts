import type { Operation } from '@grantkit/torture'
import { MAX_SKEW_SECONDS } from '../plan/plan.ts'
import { LIFETIMES } from '../service/service.ts'
import type { Described } from './history.ts'

/**
 * Two answers of Grantkit that the judge of any server does not know (docs/adr/0002, docs/adr/0070): an error for a token that was
 * rotated inside the retry window, which ends nothing, and a late repeat of the last rotation. They are judged here and then left
 * out, since both give nobody anything new.
 */

const REPLACED = 'The refresh token was replaced a moment ago'
const SKEW_MS = 1000 * MAX_SKEW_SECONDS
const WINDOW_MS = 1000 * LIFETIMES.refreshRetryWindow
/** The time of a remembered rotation is up to a seventh of the window too late, and clocks count in seconds. */
const REPLACED_MS = WINDOW_MS + WINDOW_MS / 7 + SKEW_MS + 2000
const LATE_MS = 900_000 + SKEW_MS + 1000

export interface OwnAnswers {
  /** The others, which the judge gets. */
  readonly rest: readonly Operation[]
  /** A sentence for each answer that should not have been. */
  readonly wrong: readonly WrongAnswer[]
}

interface WrongAnswer {
  readonly seen: string
  readonly operations: readonly Operation[]
}

export function ownAnswers(history: readonly Described[]): OwnAnswers {
  const rotations = Map.groupBy(
    history.filter(({ f, result }) => f === 'refresh' && result !== 'fail'),
    ({ family, key }) => `${family} ${key}`,
  )
  const wrong: WrongAnswer[] = []
  const rest: Operation[] = []
  for (const operation of history) {
    const others = rotations.get(`${operation.family} ${operation.key}`) ?? []
    const isReplaced = operation.description?.startsWith(REPLACED) ?? false
    const first = isReplaced ? undefined : lateRepeatOf(operation, others)
    if (isReplaced) wrong.push(...wronglyReplaced(operation, history))
    if (first !== undefined) wrong.push(...wronglyRepeated(operation, first, rotations))
    const { description: _, ...plain } = operation
    if (!isReplaced && first === undefined) rest.push(plain)
  }
  return { rest, wrong }
}

/** Some rotation of the grant was in the window when it arrived, or had not happened when it was sent. */
function wronglyReplaced(operation: Operation, history: readonly Operation[]): WrongAnswer[] {
  const isReason = ({ f, family, result, returned }: Operation) =>
    f === 'refresh' &&
    family === operation.family &&
    result !== 'fail' &&
    returned > operation.invoked - REPLACED_MS
  if (history.some(isReason)) return []
  return [{ seen: 'A spent token outside of the retry window ended nothing.', operations: [operation] }]
}

/** The first answer of the rotation that this one repeats, if the window was over. */
function lateRepeatOf(operation: Operation, others: readonly Operation[]): Operation | undefined {
  const { f, result, refresh, invoked } = operation
  if (f !== 'refresh' || result !== 'ok') return undefined
  const first = others.find((other) => other.refresh === refresh && other !== operation)
  return first !== undefined && invoked > first.returned + WINDOW_MS - SKEW_MS ? first : undefined
}

/** Only while its tokens are unused, and no longer than 15 minutes. */
function wronglyRepeated(
  operation: Operation,
  first: Operation,
  rotations: ReadonlyMap<string, readonly Operation[]>,
): WrongAnswer[] {
  const operations = [first, operation]
  if (operation.invoked - first.returned > LATE_MS)
    return [{ seen: 'A rotation was repeated after more than 15 minutes.', operations }]
  const isInWindow = operation.invoked < first.returned + WINDOW_MS + SKEW_MS
  const uses = rotations.get(`${operation.family} ${operation.refresh}`) ?? []
  const used = uses.find(({ result, returned }) => result === 'ok' && returned < operation.invoked)
  if (used === undefined || isInWindow) return []
  return [{ seen: 'A rotation was repeated late whose token was used.', operations: [...operations, used] }]
}
