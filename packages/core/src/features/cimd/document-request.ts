/** Fetches a document, and decides how long it is fresh (RFC 9111 4.2). */
import { type DocumentFetch, fetchedDocument } from '../../http/outbound.ts'
import type { Kernel, RequestingUser } from '../../kernel/kernel.ts'
import { RecentlyUsed } from '../../kernel/recently-used.ts'
import type { Client, ClientDocument } from '../../kernel/records.ts'
import { sha256 } from '../../kernel/secrets.ts'
import { type FetchAttempt, fetchAttempts, siteOf } from '../../limits/fetch-attempts.ts'
import type { ReadDocument } from './client-document.ts'

export interface CachedDocument {
  readonly client: Client
  /** Until then, new authorizations use it without a request to its host. Epoch seconds. */
  readonly freshUntil: number
  /** Until then it is kept, for the answer to a page that showed it and for conditional requests. Epoch seconds. */
  readonly keptUntil: number
  /** Headers of a conditional request (RFC 9110 13.1). */
  readonly validators?: Readonly<Record<string, string>> | undefined
}

/** The draft recommends 5 KB. */
const MAX_DOCUMENT_BYTES = 5 * 1024
/** For a fetch without a deadline of its own. */
const DEADLINE_MS = 10_000
/** Seconds for which a document with `no-store` is kept: a user looks at the consent page that shows it. */
const PAGE_LIFETIME = 600

export type DocumentAnswer =
  | { readonly kind: 'document'; readonly document: CachedDocument }
  | {
      readonly kind: 'gone' | 'unreachable'
      readonly fault: string
      readonly withheld?: boolean
      /** The host has a valid document, and a feature does not accept its client. */
      readonly refused?: boolean
      readonly cause?: unknown
    }

export interface DocumentSource {
  readonly kernel: Kernel
  readonly read: ReadDocument
  readonly fetch: DocumentFetch
}

/** Never rejects, so the caller always records the end of the attempt. */
async function requestDocument(
  { kernel, read, fetch }: DocumentSource,
  clientId: string,
  kept: CachedDocument | undefined,
): Promise<DocumentAnswer> {
  try {
    const response = await fetch(clientId, {
      accept: 'application/json',
      maxBytes: MAX_DOCUMENT_BYTES,
      headers: kept?.validators ?? {},
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const { status, headers } = response
    if (status === 304 && kept?.validators !== undefined)
      return documentOf(kernel, kept.client, headers, kept.validators)
    const fetched = fetchedDocument(response, MAX_DOCUMENT_BYTES)
    if (fetched.kind !== 'document') return fetched
    const verdict = read(clientId, fetched.members, kernel.now())
    if (verdict.kind === 'refused') return { kind: 'gone', fault: verdict.fault, refused: true }
    if (verdict.kind === 'invalid') return { kind: 'gone', fault: verdict.fault }
    return documentOf(kernel, verdict.client, headers)
  } catch (cause) {
    const { code } = Object(cause)
    return { kind: 'unreachable', fault: typeof code === 'string' ? code : 'unexpected', cause }
  }
}

function documentOf(
  { now }: Kernel,
  client: Client,
  headers: ResponseHeaders,
  before?: CachedDocument['validators'],
): DocumentAnswer {
  const fetchedAt = now()
  const fresh = freshFor(headers, fetchedAt)
  const document: CachedDocument = {
    client: { ...client, document: { fetchedAt, hash: client.document?.hash ?? hashOf(client) } },
    freshUntil: fetchedAt + (fresh ?? 0),
    keptUntil: fresh === undefined ? fetchedAt + PAGE_LIFETIME : Number.POSITIVE_INFINITY,
    validators: validatorsOf(headers) ?? before,
  }
  return { kind: 'document', document }
}

export function hashOf({ createdAt, expiresAt, ...described }: Client) {
  return sha256(JSON.stringify(described))
}

const MAX_VALIDATOR_LENGTH = 200

/** The entity tag, or else the date: with a tag, the date is ignored (RFC 9110 13.1.3). */
function validatorsOf({ etag, 'last-modified': date }: ResponseHeaders): CachedDocument['validators'] {
  if (etag !== undefined && etag.length <= MAX_VALIDATOR_LENGTH) return { 'if-none-match': etag }
  if (date !== undefined && date.length <= MAX_VALIDATOR_LENGTH) return { 'if-modified-since': date }
  return undefined
}

/** In seconds: no header makes this server fetch a document for every request. */
const MIN_FRESHNESS = 5 * 60
/** In seconds: a document decides who gets codes, so no header makes it fresh for longer. */
const MAX_FRESHNESS = 24 * 60 * 60
const DEFAULT_FRESHNESS = 60 * 60

/** As in `DocumentFetchResponse`. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>

/**
 * How long a server uses the document of a client before it asks the host again (RFC 9111 4.2): from five minutes to a day.
 *
 * @param headers with names in lower case
 * @param now epoch seconds
 * @returns seconds; `undefined` if the document must not be kept beyond the request that fetched it
 *
 * @example
 * ```ts
 * import { freshFor } from '@grantkit/core/client-documents'
 *
 * freshFor({ 'cache-control': 'max-age=3600' }, Date.now() / 1000) // 3600
 * freshFor({ 'cache-control': 'no-store' }, Date.now() / 1000) // undefined
 * ```
 */
export function freshFor(headers: ResponseHeaders, now: number): number | undefined {
  const directives = directivesOf(headers['cache-control'] ?? '')
  if (directives.has('no-store') || directives.has('private') || headers.vary?.includes('*')) return undefined
  return Math.min(Math.max(lifetimeOf(directives, headers, now), MIN_FRESHNESS), MAX_FRESHNESS)
}

/** Values by name. A repeated directive has no value (RFC 9111 4.2.1). */
function directivesOf(cacheControl: string): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  for (const directive of cacheControl.split(',')) {
    const [name = '', value = ''] = directive.trim().toLowerCase().split('=')
    found.set(name, found.has(name) ? undefined : value)
  }
  return found
}

function lifetimeOf(
  directives: ReadonlyMap<string, string | undefined>,
  headers: ResponseHeaders,
  now: number,
): number {
  for (const name of ['s-maxage', 'max-age'])
    if (directives.has(name)) return (secondsOf(directives.get(name)) ?? 0) - (secondsOf(headers.age) ?? 0)
  if (headers.expires === undefined) return DEFAULT_FRESHNESS
  const date = timeOf(headers.date) ?? now
  return (timeOf(headers.expires) ?? date) - date
}

function secondsOf(text: string | undefined): number | undefined {
  return /^[0-9]{1,10}$/.test(text ?? '') ? Number(text) : undefined
}

function timeOf(date: string | undefined): number | undefined {
  const time = Date.parse(date ?? '')
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}

// The current document of a client: from the cache of this process, or from its host. Replicas may differ for a while.

export type LookedUp =
  | { readonly kind: 'document'; readonly client: Client; readonly from: 'host' | 'cache' }
  | { readonly kind: 'gone'; readonly fault: string; readonly refused: boolean }
  | {
      readonly kind: 'unreachable'
      /** Seconds. */
      readonly retryAfter: number
      /** Whether the approved copy may be used. It may not once the host has answered that the document is gone. */
      readonly mayBeStale: boolean
      readonly withheld: boolean
      /** Absent if its document was not fetched again so soon. For the operator only. */
      readonly fault: string | undefined
      /** The last document that this process got. */
      readonly last?: ClientDocument | undefined
    }

/** The document of a client could not be fetched, or describes no client. */
export interface DocumentFailed {
  readonly type: 'client_document_failed'
  readonly clientId: string
  /** For the log only: it could reveal networks behind this server. */
  readonly fault: string
  /** What the fetch threw. */
  readonly cause?: unknown
}

/** @returns the look-up. `known`: a user approved the client before */
export function documentLookUp(source: DocumentSource) {
  const { now, emit } = source.kernel
  const cache = documentCache(now)
  const attempts = fetchAttempts(now)
  const inFlight = new Map<string, Promise<LookedUp>>()

  function begin(attempt: FetchAttempt): Promise<LookedUp> | LookedUp {
    if (attempts.start(attempt) > 0) return unreachable(attempt)
    const answer = request(attempt)
    inFlight.set(attempt.id, answer)
    return answer
  }

  async function request(attempt: FetchAttempt): Promise<LookedUp> {
    const { id: clientId } = attempt
    const answer = await requestDocument(source, clientId, cache.get(clientId))
    inFlight.delete(clientId)
    attempts.ended(clientId, answer.kind === 'unreachable' && answer.withheld ? 'withheld' : answer.kind)
    if (answer.kind === 'document') {
      const { client } = answer.document
      // `client.clientId` is a copy. The id of the request would keep the whole request in memory.
      cache.set(client.clientId, answer.document)
      return { kind: 'document', client, from: 'host' }
    }
    const { kind, fault, cause, refused = false } = answer
    emit({ type: 'client_document_failed', clientId, fault, cause } satisfies DocumentFailed)
    if (kind === 'unreachable') return unreachable(attempt, fault)
    cache.delete(clientId)
    return { kind, fault, refused }
  }

  function unreachable(attempt: FetchAttempt, fault?: string): LookedUp {
    return {
      kind: 'unreachable',
      fault,
      retryAfter: attempts.wait(attempt),
      mayBeStale: !attempts.isGone(attempt.id),
      withheld: attempts.isWithheld(attempt.id),
      last: cache.get(attempt.id)?.client.document,
    }
  }

  return async (clientId: string, known: boolean, user: RequestingUser): Promise<LookedUp> => {
    const kept = cache.get(clientId)
    // The answer to a page uses the document that the page showed, even if it is stale.
    if (kept !== undefined && (now() < kept.freshUntil || kept.client.document?.hash === user.shown))
      return { kind: 'document', client: kept.client, from: 'cache' }
    const attempt = { id: clientId, site: await siteOf(clientId), known, user: user.subject }
    const first = !known && !inFlight.has(clientId) && attempts.wait(attempt) === 0
    if (first) await user.countUnknown()
    return inFlight.get(clientId) ?? begin(attempt)
  }
}

const MAX_DOCUMENTS = 1000
/** Characters of JSON. */
const MAX_CHARACTERS = 4 * 1024 * 1024

/** The documents that were used last. */
export function documentCache(now: () => number) {
  return new RecentlyUsed<CachedDocument>(MAX_DOCUMENTS, {
    now,
    endOf: ({ keptUntil }) => keptUntil,
    maxSize: MAX_CHARACTERS,
    sizeOf: (document) => JSON.stringify(document).length,
  })
}
