import type { KnownDocument } from '../features/cimd/fetched-clients.ts'
import type { KnownClient } from './known-client.ts'

/** @param reading how the documents are read; see the option `documents` of `knownClients` */
export function documentsOf(
  entries: readonly KnownClient[],
  reading: 'fetch-then-copy' | 'copy' | 'fetch' = 'fetch-then-copy',
): KnownDocument[] {
  return entries.flatMap(({ id: knownClient, documents }) =>
    documents.map(({ url, json: members, seen }) => {
      if (members === undefined || reading === 'fetch') return { url, knownClient }
      const copy = { members, seen: Date.parse(seen) / 1000 }
      return { url, knownClient, copy, pinned: reading === 'copy' }
    }),
  )
}
