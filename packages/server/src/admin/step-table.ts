import type { StepEvent } from '@grantkit/explain'
import { html } from '@grantkit/pages'
import { since } from '../attempts/words.ts'
import type { Markup } from '../http/page.ts'
import { facts } from './admin-page.ts'
import { stepWords } from './attempt-words.ts'
import { table } from './table.ts'
import { exactMoment } from './times.ts'
import { factWords } from './words.ts'

/** The steps of a sign-in attempt, with the times between them. */
export function stepTable(steps: readonly StepEvent[]): Markup {
  const rows = steps.map((step, at) => ({ step, before: steps[at - 1] }))
  return table(
    'Steps',
    [
      { head: 'When', cell: ({ step }) => exactMoment(new Date(step.at * 1000).toISOString()) },
      { head: 'After', cell: ({ step, before }) => since(before, step), numeric: true },
      { head: 'What', cell: ({ step }) => stepWords(step) },
      { head: 'Details', cell: ({ step }) => detailsOf(step) },
    ],
    rows,
  )
}

/** What has a place of its own in the table. */
const SHOWN: ReadonlySet<string> = new Set(['type', 'reference', 'at', 'step', 'outcome', 'reason'])

function detailsOf(step: StepEvent): Markup | string {
  const rows = Object.entries(step)
    .filter(([name]) => !SHOWN.has(name))
    .map(([name, value]) => [factWords(name), html`<code>${[value].flat().join(' ')}</code>`] as const)
  return rows.length === 0 ? '' : html`<details><summary>Details</summary>${facts(rows)}</details>`
}
