import type { Access, Anonymous, Authorized, HttpResponse, ServerEvent } from '@grantkit/core'
import type { Ask } from './requests.ts'

/** The text of a request and its answer: exact, one line for each thing that may change. */

/** `>` is the request, `*` an event for the operator, `<` the answer. */
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

/** Replaces a long run of one letter, which tests of sizes send, by its length. */
function shortened(line: string): string {
  return line.replace(/(.)\1{49,}/g, (run, letter) => `{${run.length} times '${letter}'}`)
}
