/**
 * Who a document says that its client is. An id goes in, and the client comes out, of the memory of this process or of the
 * host; or that there is no such document, or that nobody can tell now.
 */

import type { DocumentFetch } from '../http/document-fetch.ts'
import type { Kernel, RequestingUser } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { type FetchAttempt, fetchAttempts } from '../limits/fetch-attempts.ts'
import { siteOf } from '../limits/site.ts'
import type { ReadDocument } from './client-document.ts'
import { documentCache } from './document-cache.ts'
import { requestDocument } from './document-request.ts'

export type LookedUp =
  | { readonly kind: 'document'; readonly client: Client }
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'unreachable'
      /** Seconds. */
      readonly retryAfter: number
      /** Whether an approved copy may serve: not if the host said since its last document that there is none. */
      readonly mayBeStale: boolean
    }

export interface DocumentFailed {
  readonly type: 'client_document_failed'
  readonly clientId: string
  /** Never shown to a browser: it would tell of networks behind this server. */
  readonly fault: string
  /** What the fetch threw. */
  readonly cause?: unknown
}

/** @returns the look-up. `known` is whether a user approved the client before */
export function documentLookUp(kernel: Kernel, read: ReadDocument, fetch: DocumentFetch) {
  const { now, emit } = kernel
  const cache = documentCache(now)
  const attempts = fetchAttempts(now)
  const inFlight = new Map<string, Promise<LookedUp>>()

  function begin(attempt: FetchAttempt): Promise<LookedUp> | LookedUp {
    if (attempts.start(attempt) > 0) return unreachable(attempt)
    const asked = ask(attempt)
    inFlight.set(attempt.id, asked)
    return asked
  }

  async function ask(attempt: FetchAttempt): Promise<LookedUp> {
    const { id: clientId } = attempt
    const answer = await requestDocument(kernel, read, fetch, clientId, cache.get(clientId))
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
    if (kind === 'unreachable') return unreachable(attempt)
    cache.delete(clientId)
    return { kind }
  }

  function unreachable(attempt: FetchAttempt): LookedUp {
    return {
      kind: 'unreachable',
      retryAfter: attempts.wait(attempt),
      mayBeStale: !attempts.isGone(attempt.id),
    }
  }

  return async (clientId: string, known: boolean, user: RequestingUser): Promise<LookedUp> => {
    const kept = cache.get(clientId)
    // What the user was shown stays good for the answer, however short its life is.
    if (kept !== undefined && (now() < kept.freshUntil || kept.client.document?.hash === user.shown))
      return { kind: 'document', client: kept.client }
    const attempt = { id: clientId, site: await siteOf(clientId), known, user: user.subject }
    const first = !known && !inFlight.has(clientId) && attempts.wait(attempt) === 0
    if (first) await user.countUnknown()
    return inFlight.get(clientId) ?? begin(attempt)
  }
}
