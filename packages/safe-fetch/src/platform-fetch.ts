/**
 * Cloudflare Workers: their `node:tls` has no ALPN, and their sockets reach no host that Cloudflare serves, as many hosts of
 * documents are. So the platform's `fetch` makes the connection. It resolves the name and keeps to public addresses itself.
 */
import type { DocumentFetchResponse } from '@grantkit/core/client-documents'
import { textOf } from './body.ts'
import type { Exchange } from './exchange.ts'
import { FetchFailure } from './fetch-failure.ts'
import type { UnsafeForTests } from './options.ts'

/**
 * Without the first, a name of the operator's own zone leads past everything that protects it, straight to the server behind it.
 * The second lets a request go round the cache.
 */
const NEEDED_FLAGS = ['global_fetch_strictly_public', 'cache_option_enabled']

interface Platform {
  readonly Cloudflare?: { readonly compatibilityFlags?: Readonly<Record<string, boolean>> }
}

/** @throws Error that says what the Worker lacks, or cannot do */
export function requirePlatform({ ca, hosts }: UnsafeForTests = {}): void {
  const { compatibilityFlags = {} } = (globalThis as Platform).Cloudflare ?? {}
  const missing = NEEDED_FLAGS.filter((flag) => compatibilityFlags[flag] !== true)
  if (missing.length > 0)
    throw new Error(`In a Cloudflare Worker safeFetch needs these compatibility_flags: ${missing.join(', ')}`)
  if (ca !== undefined || hosts !== undefined)
    throw new Error(
      'unsafeForTests: has no effect in a Cloudflare Worker, whose platform makes the connection',
    )
}

/** One request by the platform. The body of a response other than 200 is not read, and is empty. */
export async function platformFetch({
  url,
  headers,
  maxBytes,
  posted,
  signal,
}: Omit<Exchange, 'ca'>): Promise<DocumentFetchResponse> {
  try {
    const sent = posted === undefined ? {} : { method: 'POST', body: posted }
    const response = await fetch(url, { ...sent, headers, signal, redirect: 'manual', cache: 'no-store' })
    const isRead = response.status === 200 && posted === undefined
    const body = isRead ? await bodyOf(response, maxBytes) : ''
    return { status: response.status, headers: Object.fromEntries(response.headers), body }
  } catch (thrown) {
    if (thrown instanceof FetchFailure) throw thrown
    throw new FetchFailure('connect', `The connection failed: ${(thrown as Error).message}`, thrown)
  }
}

function bodyOf({ headers, body }: Response, maxBytes: number): Promise<string> {
  const encoding = headers.get('content-encoding') ?? undefined
  const length = headers.get('content-length') ?? undefined
  return textOf({ encoding, length, chunks: body ?? NOTHING }, maxBytes)
}

const NOTHING = (async function* () {})()
