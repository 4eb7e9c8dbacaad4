/**
 * Who a document says that its client is. An id goes in, and the client comes out, of the memory of this process or of the
 * host; or that there is no such document, or that nobody can tell now.
 */
import type { AskingUser, Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import { clientOfDocument } from './client-document.ts'
import { type CachedDocument, documentCache } from './document-cache.ts'
import type { DocumentFetch } from './document-fetch.ts'
import { fetchAttempts } from './fetch-attempts.ts'
import { fetchedDocument, LARGEST_DOCUMENT } from './fetched-document.ts'
import { freshFor, type ResponseHeaders } from './freshness.ts'

export type LookedUp =
  | { readonly kind: 'document'; readonly client: Client }
  | { readonly kind: 'gone' }
  /** @param mayBeStale false if the host said lately that there is no such document */
  | { readonly kind: 'unreachable'; readonly retryAfter: number; readonly mayBeStale: boolean }

export interface DocumentFailed {
  readonly type: 'client_document_failed'
  readonly clientId: string
  /** Never shown to a browser: it would tell of networks behind this server. */
  readonly fault: string
  /** What the fetch threw. */
  readonly cause?: unknown
}

/** A document holds no secret, so its client is public. */
export const OFFERED = {
  authMethods: ['none'],
  grantTypes: ['authorization_code', 'refresh_token'],
  signingAlgorithms: [],
}

/** Ends a fetch that has no deadline of its own. */
const DEADLINE_MS = 10_000
/** A document that must not be stored is kept for as long as the user looks at the page that shows it. */
const PAGE_LIFETIME = 600

/** @returns the look-up. `known` is whether a user approved the client before */
export function documentLookUp(kernel: Kernel, fetch: DocumentFetch) {
  const { now, emit } = kernel
  const cache = documentCache(now)
  const attempts = fetchAttempts(now)
  const inFlight = new Map<string, Promise<LookedUp>>()

  function begin(clientId: string, known: boolean): Promise<LookedUp> | LookedUp {
    if (attempts.start(clientId, known) > 0) return unreachable(clientId, known)
    const asked = ask(clientId, known)
    inFlight.set(clientId, asked)
    return asked
  }

  async function ask(clientId: string, known: boolean): Promise<LookedUp> {
    const answer = await answerOf(kernel, fetch, clientId, cache.get(clientId))
    inFlight.delete(clientId)
    attempts.ended(clientId, answer.kind)
    if (answer.kind === 'document') {
      const { client } = answer.document
      // Its id is a text of its own, where that of the request keeps the request in memory.
      cache.set(client.clientId, answer.document)
      return { kind: 'document', client }
    }
    const { kind, fault, cause } = answer
    emit({ type: 'client_document_failed', clientId, fault, cause } satisfies DocumentFailed)
    if (kind === 'unreachable') return unreachable(clientId, known)
    cache.delete(clientId)
    return { kind }
  }

  function unreachable(clientId: string, known: boolean): LookedUp {
    const retryAfter = attempts.wait(clientId, known)
    return { kind: 'unreachable', retryAfter, mayBeStale: !attempts.isGone(clientId) }
  }

  return async (clientId: string, known: boolean, user: AskingUser): Promise<LookedUp> => {
    const kept = cache.get(clientId)
    // What the user was shown stays good for the answer, however short its life is.
    if (kept !== undefined && (now() < kept.freshUntil || kept.client.document?.hash === user.shown))
      return { kind: 'document', client: kept.client }
    const first = !known && !inFlight.has(clientId) && attempts.wait(clientId, known) === 0
    if (first) await user.countUnknown()
    return inFlight.get(clientId) ?? begin(clientId, known)
  }
}

type Answer =
  | { readonly kind: 'document'; readonly document: CachedDocument }
  | { readonly kind: 'gone' | 'unreachable'; readonly fault: string; readonly cause?: unknown }

/** Never rejects: whatever a fetch throws, its place is given back. */
async function answerOf(
  kernel: Kernel,
  fetch: DocumentFetch,
  clientId: string,
  kept: CachedDocument | undefined,
): Promise<Answer> {
  try {
    const response = await fetch(clientId, {
      accept: 'application/json',
      maxBytes: LARGEST_DOCUMENT,
      headers: kept?.validators ?? {},
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const { status, headers } = response
    if (status === 304 && kept?.validators !== undefined)
      return documentOf(kernel, kept.client, headers, kept.validators)
    const fetched = fetchedDocument(response)
    if (fetched.kind !== 'document') return fetched
    const verdict = clientOfDocument(kernel, clientId, fetched.members, {
      ...OFFERED,
      expiresAt: kernel.now(),
    })
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
): Answer {
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

function hashOf({ createdAt, expiresAt, ...described }: Client) {
  return sha256(JSON.stringify(described))
}

const LONGEST_VALIDATOR = 200

/** The entity tag, or else the date (RFC 9110 13.1.3 ignores the date beside a tag). */
function validatorsOf({ etag, 'last-modified': date }: ResponseHeaders): CachedDocument['validators'] {
  if (etag !== undefined && etag.length <= LONGEST_VALIDATOR) return { 'if-none-match': etag }
  if (date !== undefined && date.length <= LONGEST_VALIDATOR) return { 'if-modified-since': date }
  return undefined
}
