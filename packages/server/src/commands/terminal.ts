import { styleText } from 'node:util'
import { terminalText } from '@grantkit/core/feature'

/**
 * Output of records and arguments. Clients choose their names: escaped, they contain no terminal control sequence and
 * no line break.
 */

/** A value within a line. */
export function plain(value: unknown): string {
  const text = Array.isArray(value) ? value.join(',') : value
  return typeof text === 'string' && /^[\x21-\x7e]*$/.test(text) ? text : jsonText(text)
}

/**
 * The same JSON, with escapes for control characters that JSON does not escape. @param indent the spaces of a level.
 * Default: on one line
 */
export function jsonText(value: unknown, indent?: number): string {
  return escapedLines(JSON.stringify(value, null, indent))
}

/** Prints why a command failed, and exits with 1. @param prefix a sentence before the reason */
export function fail(error: unknown, prefix?: string): void {
  // The reader of the pipe, such as "head", may have closed it.
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return
  const message = error instanceof Error ? error.message : String(error)
  console.error(styleText('red', escapedLines(prefix === undefined ? message : `${prefix} ${message}`)))
  process.exitCode = 1
}

/** Its own line breaks stay: the problems of the configuration are a list. */
function escapedLines(text: string): string {
  return text.split('\n').map(terminalText).join('\n')
}
