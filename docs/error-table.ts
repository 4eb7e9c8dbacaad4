import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'
import type { ErrorDefinition } from '@grantkit/core/feature'

/** Every error of core as the table of errors.md, or the errors of a feature. */
export function errorTable(errors: Readonly<Record<string, ErrorDefinition>> = ERRORS): string {
  const rows = Object.values(errors).map((error) => {
    const { reason, error: code, status, message } = new OAuthError(error)
    return [`\`${reason}\``, `\`${code}\``, status, message]
  })
  const head = ['Reason', 'Error code', 'Status', 'Description']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
