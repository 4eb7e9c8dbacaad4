import type { Tally } from './tally.ts'

/** An answer, or nothing when there was none. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

interface Request {
  readonly form?: Record<string, string>
  readonly json?: object
  readonly bearer?: string
}

/** Sends a request, and counts what an outage or a fault of the service makes of it. */
export type Send = (path: string, request?: Request) => Promise<Answer | undefined>

/** @param origins taken in turn */
export function wireTo(origins: readonly string[], tally: Tally): Send {
  let turn = 0
  return async (path, request = {}) => {
    const origin = origins[turn++ % origins.length]
    const begun = performance.now()
    const answer = await fetch(`${origin}${path}`, { ...initOf(request), signal: AbortSignal.timeout(5000) })
      .then(async (response) => ({ status: response.status, body: await bodyOf(response) }))
      .catch(() => undefined)
    tally.took(path, performance.now() - begun)
    // A balancer says 502 and 504 of a replica that went away in the middle of an answer.
    if (answer === undefined || answer.status === 502 || answer.status === 504) {
      tally.setback('no answer')
      return undefined
    }
    if (answer.status === 503) tally.setback('503')
    else if (answer.status >= 500)
      tally.fault(
        'errors that are not 503',
        `${path} answered ${answer.status} ${JSON.stringify(answer.body)}`,
      )
    return answer
  }
}

function initOf({ form, json, bearer }: Request): RequestInit {
  if (form) return { method: 'POST', body: new URLSearchParams(form) }
  if (json) {
    return { method: 'POST', body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
  }
  return bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } }
}

async function bodyOf(response: Response): Promise<Answer['body']> {
  const text = await response.text()
  return text.startsWith('{') ? JSON.parse(text) : {}
}
