import { type ConnectionOptions, overFetch, type Send } from '@grantkit/testkit/client'
import type { Tally } from './tally.ts'

/** Nobody knows whether what was asked for has happened. */
class NoAnswer extends Error {}

const PATIENCE_MS = 5000

/**
 * Sends requests, and counts what an outage or a fault of the service makes of them. Rejects with `NoAnswer`.
 *
 * @param origins taken in turn
 */
function wireTo(origins: readonly string[], tally: Tally): Send {
  const send = overFetch({ timeout: PATIENCE_MS })
  let turn = 0
  return async (url, request) => {
    const { pathname, search } = new URL(url)
    const origin = origins[turn++ % origins.length]
    const begun = performance.now()
    const answer = await send(`${origin}${pathname}${search}`, request).catch(() => undefined)
    tally.took(pathname, performance.now() - begun)
    // A balancer says 502 and 504 of a replica that went away in the middle of an answer.
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

/** The service as its clients reach it; they need not all read its metadata. */
export async function connectionTo(
  baseUrl: string,
  origins: readonly string[],
  tally: Tally,
): Promise<Required<ConnectionOptions>> {
  const metadata = await fetch(`${baseUrl}/.well-known/oauth-authorization-server`)
  const endpoints = (await metadata.json()) as Required<ConnectionOptions>['endpoints']
  return { send: wireTo(origins, tally), endpoints }
}

/** What came back, or `undefined` when there was no answer. */
export async function unlessLost<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof NoAnswer) return undefined
    throw error
  })
}
