/**
 * What an answer to the fetch of a document says (draft-ietf-oauth-client-id-metadata-document 5). The document, a fault
 * of the way there, or the word of the host that there is none.
 */
import type { DocumentFetchResponse } from './document-fetch.ts'

export type FetchedDocument =
  | { readonly kind: 'document'; readonly members: Readonly<Record<string, unknown>> }
  /** The host says that there is no such document, or it is none. An approved copy must not be used any more. */
  | { readonly kind: 'gone'; readonly fault: string }
  /** An outage, a redirect or a bot wall. An approved copy may serve for some days. */
  | { readonly kind: 'unreachable'; readonly fault: string }

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i

/** @param largest in bytes */
export function fetchedDocument(
  { status, headers, body }: DocumentFetchResponse,
  largest: number,
): FetchedDocument {
  if (status === 404 || status === 410) return { kind: 'gone', fault: `status ${status}` }
  if (status !== 200) return { kind: 'unreachable', fault: `status ${status}` }
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) return { kind: 'unreachable', fault: 'type' }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return { kind: 'unreachable', fault: 'encoding' }
  if (Buffer.byteLength(body) > largest) return { kind: 'unreachable', fault: 'size' }
  const members = jsonObject(body)
  return members === undefined ? { kind: 'gone', fault: 'no JSON object' } : { kind: 'document', members }
}

/** A byte order mark is no JSON, and of a member that is given twice the last one counts. */
function jsonObject(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
