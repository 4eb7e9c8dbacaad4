import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => Markup | string
  /** Digits, which are aligned at their end. */
  readonly numeric?: boolean
}

/**
 * A table, whose rows are cards on a phone. They would no longer be a table for a screen reader there, so each part names its
 * role.
 */
export function table<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): Markup {
  const align = ({ numeric }: Column<Row>) => (numeric ? html` class="number"` : '')
  return html`
<table role="table" aria-label="${name}">
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col"${align(column)}>${column.head}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`
<tr role="row">${columns.map(
      (column) =>
        html`<td role="cell" data-head="${column.head}"${align(column)}><div>${column.cell(row)}</div></td>`,
    )}</tr>`,
  )}</tbody>
</table>`
}
