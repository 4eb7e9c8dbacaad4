import type { DocumentFetch, DocumentFetchRequest, DocumentFetchResponse } from '@grantkit/core'
import { connectToFirst, secure } from './connect.ts'
import { startDeadline } from './deadline.ts'
import { exchange } from './exchange.ts'
import { endpointsOf, type SafeFetchOptions, type Settings, settingsOf } from './options.ts'
import { publicUrl } from './public-url.ts'

/**
 * A fetch of addresses that strangers choose, which cannot be turned inward. It keeps every promise of `DocumentFetch`, and
 * each fetch is alone: its own look-up, its own connection, nothing kept.
 *
 * It does not count: how often an address may be asked, and how many at once, is for the caller to limit.
 *
 * @throws Error that names the option at fault
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
  const settings = settingsOf(options)
  return async (address, request) => {
    const url = publicUrl(address, settings)
    const deadline = startDeadline(settings.deadline, request.signal)
    try {
      return await fetchDocument(url, { ...request, signal: deadline.signal }, settings)
    } finally {
      deadline.end()
    }
  }
}

async function fetchDocument(
  url: URL,
  request: DocumentFetchRequest,
  settings: Settings,
): Promise<DocumentFetchResponse> {
  const { signal, maxBytes } = request
  const socket = await connectToFirst(await endpointsOf(url, settings, signal), signal)
  const connection = await secure(socket, url.hostname, settings.ca, signal)
  const headers = {
    ...request.headers,
    host: url.host,
    accept: request.accept,
    'accept-encoding': 'identity',
    'user-agent': settings.userAgent,
  }
  return exchange(connection, { path: url.pathname + url.search, headers, maxBytes, signal })
}
