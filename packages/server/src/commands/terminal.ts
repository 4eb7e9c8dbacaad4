import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { styleText } from 'node:util'
import type { PublicClient } from '@grantkit/core'
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

/** One line of a list. */
export function clientLine(client: PublicClient): string {
  const { clientId, clientName, origin, createdAt, refused, knownClient } = client
  const name = clientName === undefined ? 'without a name' : plain(clientName)
  const words = [plain(clientId), dayOf(createdAt), origin.padEnd(11), styleText('bold', name)]
  const marks = [
    ...(knownClient ? [`known client ${knownClient}`] : []),
    ...pkceMarks(client),
    ...(refused ? ['removed'] : []),
  ]
  return [...words, ...marks].join('  ')
}

/** What a client may leave out of its authorization requests. */
function pkceMarks({ pkceOptional, nonceOptional }: PublicClient): string[] {
  if (!pkceOptional) return []
  return [nonceOptional ? 'may leave out PKCE and nonce' : 'may leave out PKCE']
}

/** All details for an operator. */
export function clientLines(client: PublicClient): string[] {
  return Object.entries(client).map(([name, value]) => `${name.padEnd(24)}  ${shown(client, name, value)}`)
}

function shown({ origin }: PublicClient, name: string, value: unknown): string {
  // Its record expires in a hundred years.
  if (name === 'expiresAt' && origin === 'integration') return 'when it is removed'
  return TIMES.has(name) ? isoTime(Number(value)) : plain(value)
}

const TIMES = new Set(['createdAt', 'expiresAt', 'clientSecretExpiresAt', 'oldSecretEndsAt'])

/** @param seconds since the epoch */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/** @param seconds since the epoch */
function dayOf(seconds: number): string {
  return isoTime(seconds).slice(0, 10)
}

/** Prints a line for each item of a list, or JSON. @param none what is printed if there is none */
export async function printList<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  json: boolean | undefined,
  lineOf: (item: Item) => string,
  none = '',
): Promise<void> {
  let isEmpty = true
  for await (const item of items) {
    console.log(json ? jsonText(item) : lineOf(item))
    isEmpty = false
  }
  if (isEmpty && !json && none !== '') console.log(none)
}

/** Prints a line for each item as fast as the reader takes them. */
export function pipeLines<Item>(items: AsyncIterable<Item>, lineOf: (item: Item) => string): Promise<void> {
  async function* lines() {
    for await (const item of items) yield `${lineOf(item)}\n`
  }
  return pipeline(Readable.from(lines()), process.stdout, { end: false })
}

/** `2 grants ended` */
export function endedGrants(ended: number): string {
  return `${ended} ${ended === 1 ? 'grant' : 'grants'} ended`
}
