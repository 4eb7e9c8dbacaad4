import { type Endpoints, overFetch, type Send } from '@grantkit/testkit/client'
import type { Tally } from './tally.ts'

/** No answer came, so the effect of the request is unknown. */
class NoAnswer extends Error {}

const PATIENCE_MS = 5000

export interface Connection {
  readonly send: Send
  readonly endpoints: Endpoints
}

const RECORD = /^(\/api\/(?!oauth)\w+)\/.+$/

/**
 * Sends requests, and counts outages and faults of the service. Rejects with `NoAnswer`.
 *
 * @param origins used in turn
 */
function wireTo(origins: readonly string[], tally: Tally): Send {
  const send = overFetch({ timeout: PATIENCE_MS })
  let turn = 0
  return async (url, request) => {
    const { pathname, search } = new URL(url)
    const origin = origins[turn++ % origins.length]
    const begun = performance.now()
    const answer = await send(`${origin}${pathname}${search}`, request).catch(() => undefined)
    tally.took(pathname.replace(RECORD, '$1/:id'), performance.now() - begun)
    // A balancer answers 502 or 504 if a replica ended during an answer.
    if (answer === undefined || answer.status === 502 || answer.status === 504) {
      tally.setback('no answer')
      throw new NoAnswer(`No answer from ${pathname}`)
    }
    if (answer.status === 503) tally.setback('503')
    else if (answer.status >= 500)
      tally.fault('errors that are not 503', `${pathname} answered ${answer.status} ${answer.body}`)
    return answer
  }
}

/** The connection of clients to the service; it saves reading the metadata each time. */
export async function connectionTo(
  baseUrl: string,
  origins: readonly string[],
  tally: Tally,
): Promise<Connection> {
  const metadata = await fetch(`${baseUrl}/.well-known/oauth-authorization-server`)
  const endpoints = (await metadata.json()) as Endpoints
  return { send: wireTo(origins, tally), endpoints }
}

/** The answer, or `undefined` if there was none. */
export async function unlessLost<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof NoAnswer) return undefined
    throw error
  })
}
