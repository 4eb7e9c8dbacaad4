/** The current document of a client: from the cache of this process, or from its host. Replicas may differ for a while. */
import type { RequestingUser } from '../kernel/kernel.ts'
import type { Client, ClientDocument } from '../kernel/records.ts'
import { type FetchAttempt, fetchAttempts, siteOf } from '../limits/fetch-attempts.ts'
import { type CachedDocument, type DocumentSource, requestDocument } from './document-request.ts'

export type LookedUp =
  | { readonly kind: 'document'; readonly client: Client; readonly from: 'host' | 'cache' }
  | { readonly kind: 'gone'; readonly fault: string }
  | {
      readonly kind: 'unreachable'
      /** Seconds. */
      readonly retryAfter: number
      /** Whether the approved copy may be used. It may not once the host has answered that the document is gone. */
      readonly mayBeStale: boolean
      /** The host answered in place of the document, as a bot wall does. */
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
    const { kind, fault, cause } = answer
    emit({ type: 'client_document_failed', clientId, fault, cause } satisfies DocumentFailed)
    if (kind === 'unreachable') return unreachable(attempt, fault)
    cache.delete(clientId)
    return { kind, fault }
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

export interface DocumentCache {
  get(clientId: string): CachedDocument | undefined
  set(clientId: string, document: CachedDocument): void
  delete(clientId: string): void
}

const MAX_DOCUMENTS = 1000
/** Characters of JSON. */
const MAX_CHARACTERS = 4 * 1024 * 1024

/** A cache of the documents used last. */
export function documentCache(now: () => number): DocumentCache {
  // In the order of their last use.
  const kept = new Map<string, { readonly document: CachedDocument; readonly size: number }>()
  let total = 0

  function remove(clientId: string): void {
    total -= kept.get(clientId)?.size ?? 0
    kept.delete(clientId)
  }

  return {
    get(clientId) {
      const found = kept.get(clientId)
      kept.delete(clientId)
      if (found === undefined) return undefined
      kept.set(clientId, found)
      if (now() < found.document.keptUntil) return found.document
      remove(clientId)
      return undefined
    },
    set(clientId, document) {
      remove(clientId)
      const size = JSON.stringify(document).length
      kept.set(clientId, { document, size })
      total += size
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_DOCUMENTS && total <= MAX_CHARACTERS) return
        remove(oldest)
      }
    },
    delete: remove,
  }
}
