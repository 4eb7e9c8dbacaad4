import { styleText } from 'node:util'
import { terminalText } from '@grantkit/core/feature'

/** What a command prints of records and arguments. Clients choose their names: escaped, they neither steer the terminal nor add a line. */

/** A value within a line. */
export function plain(value: unknown): string {
  const text = Array.isArray(value) ? value.join(',') : value
  return typeof text === 'string' && /^[\x21-\x7e]*$/.test(text) ? text : jsonText(text)
}

/** The same JSON, with escapes for what JSON leaves as it is. @param indent the spaces of a level; on one line without */
export function jsonText(value: unknown, indent?: number): string {
  return escapedLines(JSON.stringify(value, null, indent))
}

/** Says why a command failed, and ends it with 1. @param prefix the sentence before the reason */
export function fail(error: unknown, prefix = 'This did not work.'): void {
  // Whoever reads the lines, such as "head", may have had enough.
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return
  const message = error instanceof Error ? error.message : String(error)
  console.error(styleText('red', `${prefix} ${escapedLines(message)}`))
  process.exitCode = 1
}

/** Its own ends of lines stay: the settings at fault are a list. */
function escapedLines(text: string): string {
  return text.split('\n').map(terminalText).join('\n')
}
