import type { HttpResponse } from '@grantkit/core'
import type { Probe } from './evidence.ts'

const PATIENCE_MS = 10_000

/** Sends a probe over the network. Rejects when no answer comes within ten seconds. */
export async function sendByFetch({ method, url, headers = {}, body }: Probe): Promise<HttpResponse> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const response = await fetch(url, { method, headers, body: body ?? null, redirect: 'manual', signal })
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}

/** The reason why nothing answers at an address; `undefined` when something does. */
export async function unreachableReason(url: string): Promise<string | undefined> {
  return sendByFetch({ method: 'GET', url }).then(
    () => undefined,
    ({ message, cause }: Error) => {
      if (!(cause instanceof Error)) return message
      // If every address of a host name failed, Node gives a code and no message.
      return cause.message || ('code' in cause && String(cause.code)) || message
    },
  )
}
