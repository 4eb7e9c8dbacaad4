import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'

/** Every error of core as the table of errors.md. */
export function errorTable(): string {
  const rows = Object.values(ERRORS).map((error) => {
    const { reason, error: code, status, message } = new OAuthError(error)
    return [`\`${reason}\``, `\`${code}\``, status, message]
  })
  const head = ['Reason', 'Error code', 'Status', 'Description']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
