import { answerText, plain, requestText } from './names.ts'
import type { Operation } from './operation.ts'

/** The most lines that a person reads at once. */
export const MAX_LINES = 12
const BAR = 14

export interface Shown {
  readonly operation: Operation
  /** It breaks the rule; the others only show where its credential comes from. */
  readonly guilty: boolean
  /** A note before its process, for an operation of another grant. */
  readonly note?: string | undefined
  nameOf(key: string): string
}

/** The operations as lines, one each, with a bar from the request to the answer. */
export function timeline(shown: readonly Shown[]): string[] {
  const kept = shown.slice(0, MAX_LINES - 1)
  const start = Math.min(...kept.map(({ operation }) => operation.invoked))
  const end = Math.max(...kept.map(({ operation }) => operation.returned))
  const replicas = new Set(kept.map(({ operation }) => operation.replica))
  const rows = kept.map((one) => cells(one, { start, end, replicas: [...replicas] }))
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)),
    [],
  )
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return shown.length > kept.length ? [...lines, `  and ${shown.length - kept.length} more`] : lines
}

interface Scale {
  readonly start: number
  readonly end: number
  readonly replicas: readonly (string | undefined)[]
}

function cells({ operation, guilty, note, nameOf }: Shown, { start, end, replicas }: Scale): string[] {
  const from = (operation.invoked - start).toFixed(1)
  const to = (operation.returned - start).toFixed(1)
  const width = (end - start).toFixed(1).length
  const where =
    replicas.length > 1 ? [operation.replica === undefined ? '' : `at ${plain(operation.replica)}`] : []
  return [
    `${guilty ? '>' : ' '} ${from.padStart(width)} - ${to.padStart(width)} ms`,
    bar(operation, { start, end, replicas }),
    `${note ?? ''}${plain(operation.process)}`,
    requestText(operation, nameOf),
    ...where,
    answerText(operation, nameOf),
  ]
}

function bar({ invoked, returned }: Operation, { start, end }: Scale): string {
  const scale = BAR / Math.max(end - start, 1)
  const from = Math.min(BAR - 1, Math.floor((invoked - start) * scale))
  const to = Math.min(BAR, Math.max(from + 1, Math.ceil((returned - start) * scale)))
  return `|${' '.repeat(from)}${'='.repeat(to - from)}${' '.repeat(BAR - to)}|`
}
