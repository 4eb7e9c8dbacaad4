import type { Answer } from '@grantkit/reference/test/security/wire'
import type { Credentials } from './bytes.ts'

/** Headers about the connection differ between frameworks. */
const OF_THE_CONNECTION = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

/** References of sign-in attempts; times, durations, lines of charts and ids; tokens and codes; cursors; JWTs; sealed cookies, forms and requests; user codes; hashes, keys and secrets; names of cookies. */
const RANDOM = new RegExp(
  [
    String.raw`\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b`,
    String.raw`\b1\d{9}\b|[0-9a-f]{8}(-[0-9a-f]{4,12}){4}|\b[0-9a-f]{32}\b`,
    String.raw`\bgk[a-z]_[\w-]{22}[\w.-]*`,
    String.raw`\bWyI[\w-]{40,}`,
    String.raw`[\w-]+\.[\w-]+\.[\w-]{43,}`,
    String.raw`eyJ[\w-]+\.[\w-]{43}`,
    String.raw`(?<=request_uri:|posted=|after=)[\w%.-]+`,
    String.raw`\b[B-Z]{4}-[B-Z]{4}\b`,
    String.raw`\b\d+(\.\d+)? m?s\b|(?<= d=")M[^"]*|T[\d:]{8}\.\d{3}Z(-\d{12}-[0-9a-f]{12})?`,
    String.raw`(?<![\w-])([\w-]{43}|[\w-]{22})(?![\w-])`,
    String.raw`(?<=^(__Host-)?[a-z-]+\.)[\w-]{8}(?==)`,
  ].join('|'),
  'g',
)

/**
 * An answer without random values, times and headers of the connection.
 *
 * @param credentials the current ones, which an answer may repeat
 */
export function comparable(answer: Answer, credentials: Credentials): object {
  const lasting = (text: string) => named(text, credentials).replaceAll(RANDOM, '*')
  const lines = answer.lines.filter(([name]) => !OF_THE_CONNECTION.includes(name))
  const headers = lines.map(([name, value]) => `${name}: ${lasting(value)}`)
  return { status: answer.status, headers: headers.sort(), body: lasting(answer.body) }
}

function named(text: string, credentials: Credentials): string {
  return Object.entries(credentials).reduce(
    (left, [name, value]) =>
      left.replaceAll(value, `{${name}}`).replaceAll(encodeURIComponent(value), `{${name}}`),
    text,
  )
}
