import { table } from '../../peers/edge/table.ts'
import { estimate } from '../statistics.ts'
import { LINES } from './lines.ts'
import type { Budget } from './process.ts'

interface Conditions {
  readonly machine: string
  readonly command: string
}

/** All results in Markdown. @param measured one of each process, by operation */
export function report(
  measured: readonly Readonly<Record<string, Budget>>[],
  { machine, command }: Conditions,
): string {
  const operations = Object.keys(measured[0] ?? {})
  const row = (name: string, of: (budget: Budget) => number, digits: number) => [
    name,
    ...operations.map((operation) => {
      const { median, spread } = estimate(measured.map((one) => of(one[operation] as Budget)))
      return `${median.toFixed(digits)} ± ${(median === 0 ? 0 : median * spread).toFixed(digits)}`
    }),
  ]
  return [
    '# Budget of a call',
    machine,
    `Made by \`${command}\`. [The method](../README.md#budget-of-a-call). Microseconds of CPU a call, the median of ${measured.length} processes; ± is half of the range of the middle half.`,
    table(
      ['', ...operations],
      [
        ...LINES.map((line) => row(line, ({ lines }) => lines[line], 2)),
        row('**all**', ({ microseconds }) => microseconds, 2),
        row('times the fixed work', ({ ratio }) => ratio, 2),
      ],
    ),
    '',
  ].join('\n\n')
}
