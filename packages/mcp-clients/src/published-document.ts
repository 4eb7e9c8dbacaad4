import { KNOWN_CLIENTS } from '@grantkit/known-clients'

/** The copy of a document in the table of known clients, which is compared with what its host publishes. */
export function publishedDocument(url: string): Readonly<Record<string, unknown>> {
  const documents = KNOWN_CLIENTS.flatMap((entry) => entry.documents)
  const document = documents.find((candidate) => candidate.url === url)
  if (document?.json === undefined) throw new Error(`The table of known clients has no copy of ${url}`)
  return document.json
}
