/**
 * Who a document says that its client is. An id goes in, and the client comes out, of the memory of this process or of the
 * host; or that there is no such document, or that nobody can tell now.
 */

import type { DocumentFetch } from '../http/document-fetch.ts'
import type { AskingUser, Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { fetchAttempts } from '../limits/fetch-attempts.ts'
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

  function begin(clientId: string, known: boolean): Promise<LookedUp> | LookedUp {
    if (attempts.start(clientId, known) > 0) return unreachable(clientId, known)
    const asked = ask(clientId, known)
    inFlight.set(clientId, asked)
    return asked
  }

  async function ask(clientId: string, known: boolean): Promise<LookedUp> {
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
