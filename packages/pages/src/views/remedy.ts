import { VERDICTS, type VerdictText } from '@grantkit/explain'
import { html, type SafeHtml } from '@remix-run/html-template'

/**
 * What an app must do before it sends its user again: the words that an operator would send to its developer, so they are in
 * English. Absent if the app cannot change it.
 */
export function remedyOf(reason: string): SafeHtml | undefined {
  const verdict = (VERDICTS as Readonly<Record<string, VerdictText>>)[reason]
  if (verdict === undefined || verdict.by === 'user' || verdict.by === 'server') return undefined
  return html`${verdict.toDeveloper.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`
}
