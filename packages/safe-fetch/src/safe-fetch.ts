import type { DocumentFetch, DocumentFetchResponse } from '@grantkit/core/client-documents'
import { IN_WORKER, type MessagePost, publicUrlFault, type Time } from '@grantkit/core/internal'
import { type Exchange, exchange } from './exchange.ts'
import { FetchFailure } from './fetch-failure.ts'
import { type SafeFetchOptions, settingsOf } from './options.ts'
import { platformFetch, requirePlatform } from './platform-fetch.ts'
import { publicAddressesOf } from './resolve.ts'

/**
 * A fetch of URLs that clients provide, which reaches only the public internet. It keeps every promise of `DocumentFetch`,
 * and each fetch is alone: its own look-up, its own connection, nothing kept.
 *
 * In a Cloudflare Worker the platform makes the connection, which promises less: see the README.
 *
 * It does not count: how often a URL may be fetched, and how many at once, is for the caller to limit.
 *
 * @throws Error that names the option at fault, or what a Worker lacks
 *
 * @example
 * ```ts
 * import { clientDocuments } from '@grantkit/core/client-documents'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * export const documents = clientDocuments({ fetch: safeFetch({ issuer: 'https://auth.example' }) })
 * ```
 */
export function safeFetch(options: SafeFetchOptions): DocumentFetch {
  const send = sender(options)
  return (address, { accept, headers, maxBytes, signal }) =>
    send(address, { headers: { ...headers, accept }, maxBytes, signal })
}

/**
 * The same for messages: a POST to the URL of a client, which reaches only the public internet and keeps every promise of
 * `MessagePost`. The body of the answer is not read.
 *
 * @throws Error that names the option at fault, or what a Worker lacks
 *
 * @example
 * ```ts
 * import { backChannelLogout } from '@grantkit/notifications'
 * import { safePost } from '@grantkit/safe-fetch'
 *
 * export const feature = backChannelLogout({ post: safePost({ issuer: 'https://auth.example' }) })
 * ```
 */
export function safePost(options: SafeFetchOptions): MessagePost {
  const send = sender(options)
  return async (address, { headers, body, signal }) => {
    const answer = await send(address, { headers, posted: body, maxBytes: 0, signal })
    return { status: answer.status, headers: answer.headers }
  }
}

type Sent = Pick<Exchange, 'headers' | 'posted' | 'maxBytes' | 'signal'>

function sender(options: SafeFetchOptions) {
  const { deadline, userAgent, hosts, ca, time, ...rule } = settingsOf(options)
  if (IN_WORKER) requirePlatform(options.unsafeForTests)
  return async (address: string, { signal: caller, ...sent }: Sent): Promise<DocumentFetchResponse> => {
    const fault = publicUrlFault(address, rule)
    if (fault !== undefined) throw new FetchFailure('address', `The URL ${fault}`)
    const url = new URL(address)
    const own = { 'accept-encoding': 'identity', 'user-agent': userAgent }
    const request = { ...sent, url, headers: { ...sent.headers, ...own }, ca }
    return within({ time, milliseconds: deadline, caller }, async (signal) => {
      if (IN_WORKER) return platformFetch({ ...request, signal })
      const route = hosts.get(url.hostname) ?? { addresses: await publicAddressesOf(url.hostname, signal) }
      return exchange({ ...request, signal }, route)
    })
  }
}

interface Limit {
  readonly time: Time
  readonly milliseconds: number
  readonly caller: AbortSignal
}

/** Does work with a signal that is aborted when the time is over or the caller gives up, and at the end of the work. */
async function within<T>(
  { time, milliseconds, caller }: Limit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  const giveUp = () => controller.abort(new FetchFailure('timeout', 'No whole answer in time', caller.reason))
  const cancel = time.after(milliseconds, giveUp)
  caller.addEventListener('abort', giveUp, { signal })
  if (caller.aborted) giveUp()
  try {
    return await work(signal)
  } catch (thrown) {
    signal.throwIfAborted()
    throw thrown
  } finally {
    cancel()
    controller.abort()
  }
}
