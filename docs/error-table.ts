/**
 * Every refusal of core as a table. `pnpm exec node docs/error-table.ts` writes it into errors.md; a test holds the
 * page against the code.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS, OAuthError } from '@grantkit/core'

const PAGE = join(import.meta.dirname, 'errors.md')

/** The part of errors.md that the code writes. */
export function errorTable(): string {
  const rows = Object.values(ERRORS).map((refusal) => {
    const { reason, error, status, message } = new OAuthError(refusal)
    return [`\`${reason}\``, `\`${error}\``, status, message]
  })
  const head = ['Reason', 'Error code', 'Status', 'Description']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

if (import.meta.main) {
  const between = /(<!-- refusals:start -->\n)[\s\S]*?(\n<!-- refusals:end -->)/
  const page = readFileSync(PAGE, 'utf8').replace(between, (_, start, end) => start + errorTable() + end)
  writeFileSync(PAGE, page)
}
