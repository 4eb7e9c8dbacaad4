/**
 * Documents in the memory of this process: clients go in, and come out for as long as they are good. Replicas need not
 * agree.
 */
import type { Client } from '../kernel/records.ts'

export interface CachedDocument {
  readonly client: Client
  /** Until then it serves new authorizations without a question to its host. Epoch seconds, as below. */
  readonly freshUntil: number
  /** Until then it is kept, for the answer to a page that showed it and for a conditional request. */
  readonly keptUntil: number
  /** Request headers by which the host can say that nothing has changed (RFC 9110 13.1), if it gave any. */
  readonly validators?: Readonly<Record<string, string>> | undefined
}

export interface DocumentCache {
  get(clientId: string): CachedDocument | undefined
  set(clientId: string, document: CachedDocument): void
  delete(clientId: string): void
}

const MAX_DOCUMENTS = 1000
/** In characters of JSON. */
const MAX_CHARACTERS = 4 * 1024 * 1024

/** The documents that were used last. */
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
