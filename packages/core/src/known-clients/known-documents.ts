import type { Admission, AdmissionPolicy } from '../cimd/client-document.ts'
import type { KnownDocument } from '../cimd/known-documents.ts'
import type { KnownClient } from './known-client.ts'

/** The documents of the entries: their https redirect URIs are accepted, as far as the entry has them too. */
export function admitKnown(documents: readonly KnownDocument[]): AdmissionPolicy {
  const known = new Map<string, Admission>(documents.map(({ url }) => [url, 'https-callbacks-too']))
  return (clientId) => known.get(clientId) ?? 'yes'
}

export function documentsOf(entries: readonly KnownClient[]): KnownDocument[] {
  return entries.flatMap(({ id, documents }) =>
    documents.map(({ url, json, seen }) => ({
      url,
      knownClient: id,
      copy: json && { members: json, seen: Date.parse(seen) / 1000 },
    })),
  )
}
