import type { CheckId } from '../check-id.ts'
import type { Declared } from './declared.ts'
import type { Operation } from './operation.ts'
import { readHeader, readOperation } from './read-line.ts'

/** The operations of one check, and what they are to be judged by. */
export interface Round {
  readonly check?: CheckId | undefined
  readonly seed?: string | undefined
  readonly declared?: Declared | undefined
  readonly operations: readonly Operation[]
}

/** Rounds as NDJSON: a line `{"history":1,...}` before each round, and a line for each operation. */
export function writeHistory(rounds: readonly Round[]): string {
  const lines = rounds.flatMap(({ operations, ...header }) => [{ history: 1, ...header }, ...operations])
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** A line of a history that is not what it should be. The message names the line. */
export class HistoryError extends Error {
  override name = 'HistoryError'
  readonly line: number

  constructor(line: number, problem: string) {
    super(`Line ${line}: ${problem}`)
    this.line = line
  }
}

/**
 * Reads a history of the kit, or from elsewhere: without a header all its operations are one round.
 *
 * @throws HistoryError
 */
export function readHistory(text: string): Round[] {
  const rounds: Round[] = []
  let current: { operations: Operation[] } | undefined
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return
    const value = parse(line, index + 1)
    const header = 'history' in value ? checked(() => readHeader(value), index + 1) : undefined
    if (header !== undefined || current === undefined) {
      current = { ...header, operations: [] }
      rounds.push(current)
    }
    if (header === undefined) {
      const next = current.operations.length
      current.operations.push(checked(() => readOperation(value, next), index + 1))
    }
  })
  return rounds
}

function parse(line: string, number: number): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new HistoryError(number, 'it is not JSON.')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new HistoryError(number, 'it is not a JSON object.')
}

function checked<Read>(read: () => Read, number: number): Read {
  try {
    return read()
  } catch (error) {
    throw new HistoryError(number, error instanceof Error ? error.message : String(error))
  }
}
