import type { Access, Anonymous, Authorized, HttpResponse, ServerEvent } from '@grantkit/core'
import type { Ask } from './requests.ts'

/** How a request and its answer are written down: to the letter, one line for each thing that may change. */

/** What is asked, `>`; what the operator is told, `*`; what is answered, `<`. */
export function exchangeText(ask: Ask, events: readonly ServerEvent[], answer: readonly string[]): string {
  const { method, path, query = '', headers = {}, body = '', from } = ask
  const asked = [
    `${method} ${path}${query === '' ? '' : `?${query}`}${from === undefined ? '' : ` from ${from}`}`,
    ...headerLines(headers),
    ...(body === '' ? [] : [body]),
  ]
  const lines = [
    ...asked.map((line) => `> ${line}`),
    ...events.map((event) => `* ${eventText(event)}`),
    ...answer.map((line) => `< ${line}`),
  ]
  return lines.map(shortened).join('\n')
}

export function answerLines({ status, headers, body }: HttpResponse): string[] {
  return [String(status), ...headerLines(headers), ...(body === '' ? [] : [body])]
}

export function accessLines(access: Access<Authorized | Anonymous>): string[] {
  if (access.kind === 'refused') return ['refused', ...answerLines(access.response)]
  return access.kind === 'anonymous' ? ['anonymous'] : [`authorized ${JSON.stringify(access.token)}`]
}

function headerLines(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  )
}

function eventText(event: ServerEvent): string {
  return 'reason' in event ? `${event.type} ${event.reason}` : event.type
}

/** A long run of one letter, as the tests of sizes send it, says no more than its length. */
function shortened(line: string): string {
  return line.replace(/(.)\1{49,}/g, (run, letter) => `{${run.length} times '${letter}'}`)
}
