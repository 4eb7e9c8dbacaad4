import { CHECK_IDS, type CheckId } from '../src/check-id.ts'
import { type Declared, IDEAL } from '../src/history/declared.ts'
import type { Operation, OperationKind, OperationResult } from '../src/history/operation.ts'

/**
 * A history as text, one operation on each line: `from-to process request credential: answer`, such as
 * `20-31 app refresh R1: ok A2 R2`, `40-52 thief refresh R1: invalid_grant` or `60-70 app redeem C1: lost`. Times are
 * milliseconds. Credentials carry their kind in their first letter. A word in brackets is the replica, or what forbids it.
 */
export function written(text: string, family = 'g'): Operation[] {
  const lines = text.trim().split('\n')
  return lines.map((line, id) => operationOf(line.trim(), id, family))
}

const STRICT: Declared = { ...IDEAL, clockSkewSeconds: 1 }

/** Declarations by the names that the cases use. */
export const DECLARED: Readonly<Record<string, Declared>> = {
  strict: STRICT,
  'same-pair': { ...STRICT, rotation: 'same-pair', overlapSeconds: 10 },
  'late-repeat': { ...STRICT, rotation: 'same-pair', overlapSeconds: 10, lateRepeatSeconds: 60 },
  replaced: { ...STRICT, rotation: 'same-pair', overlapSeconds: 10, replacedSeconds: 20 },
  overlap: { ...STRICT, rotation: 'overlap', overlapSeconds: 10 },
  none: { ...STRICT, rotation: 'none' },
  token: { ...STRICT, revocationEnds: 'token' },
  cache: { ...STRICT, cacheSeconds: 5 },
  'lenient-replay': { ...STRICT, replayEndsFamily: false },
  'lenient-logout': { ...STRICT, logoutEnds: false },
}

export interface Case {
  readonly title: string
  readonly check: CheckId
  readonly verdict: string
  readonly declared: Declared
  readonly history: readonly Operation[]
}

const START = `0-1 user approve: ok C1
2-3 app redeem C1: ok A1 R1`
const TITLE = /^(?<check>\S+) is (?<verdict>\w+), (?<declared>\S+): .+$/u

/** Cases, with an empty line between them: a title, and a history. The line `start` is an approval and its redemption. */
export function casesOf(text: string): Case[] {
  return text.trim().split('\n\n').map(caseOf)
}

function caseOf(text: string): Case {
  const [title = '', ...lines] = text.split('\n')
  const { verdict = '', declared: name = '', ...parts } = TITLE.exec(title)?.groups ?? {}
  const check = CHECK_IDS.find((id) => id === parts.check)
  const declared = DECLARED[name]
  if (check === undefined || declared === undefined) throw new Error(`Not a case: ${title}`)
  return { title, check, verdict, declared, history: written(lines.join('\n').replace('  start', START)) }
}

const LINE =
  /^(?<from>\d+)-(?<to>\d+) (?<process>\S+?)(?:@(?<replica>\S+))? (?<f>[a-z]+)(?: (?<key>\w+))?(?: \((?<forbidden>[^)]+)\))?: (?<answer>.+)$/u

function operationOf(line: string, id: number, family: string): Operation {
  const parts = LINE.exec(line)?.groups
  if (parts === undefined) throw new Error(`Not an operation: ${line}`)
  const { from, to, process = '', replica, f, key, forbidden, answer = '' } = parts
  return {
    id,
    process,
    f: f as OperationKind,
    family,
    ...(replica && { replica }),
    ...(key && { key }),
    ...(forbidden && { forbidden }),
    ...answerOf(answer.split(' ')),
    invoked: Number(from),
    returned: Number(to),
  }
}

type Answer = Omit<Partial<Operation>, 'result'> & { readonly result: OperationResult }

const WORDS: Readonly<Record<string, Answer>> = {
  ok: { result: 'ok', status: 200 },
  active: { result: 'ok', status: 200, active: true },
  inactive: { result: 'ok', status: 200, active: false },
  lost: { result: 'info', forgotten: true },
  silence: { result: 'info' },
  500: { result: 'info', status: 500 },
  503: { result: 'info', status: 503 },
}

function answerOf([first = '', ...rest]: readonly string[]): Answer {
  const status = first === 'invalid_client' ? 401 : 400
  const answer = WORDS[first] ?? { result: 'fail', status, error: first }
  return Object.assign({ ...answer }, ...rest.map(detailOf))
}

function detailOf(word: string): Partial<Operation> {
  if (word === 'forgotten') return { forgotten: true }
  if (word.startsWith('expires=')) return { expiresIn: Number(word.slice(8)) }
  if (word.startsWith('skew=')) return { skew: Number(word.slice(5)) }
  if (word.startsWith('C')) return { code: word }
  return word.startsWith('A') ? { access: word } : { refresh: word }
}
