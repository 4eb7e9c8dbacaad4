/**
 * What an answer to the fetch of a document says (draft-ietf-oauth-client-id-metadata-document 5). The document, a fault
 * of the way there, or the word of the host that there is none.
 */
import type { ResponseHeaders } from './freshness.ts'

/** An answer that was not followed, decoded or kept: header names in lower case, the body as it came. */
export interface DocumentResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Uint8Array
}

export type FetchedDocument =
  | { readonly kind: 'document'; readonly members: Readonly<Record<string, unknown>> }
  /** The host says that there is no such document, or it is none. An approved copy must not be used any more. */
  | { readonly kind: 'gone'; readonly fault: string }
  /** An outage, a redirect or a bot wall. An approved copy may serve for some days. */
  | { readonly kind: 'unreachable'; readonly fault: string }

/** The draft recommends 5 KB. */
const LARGEST_DOCUMENT = 5 * 1024
const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i

export function fetchedDocument({ status, headers, body }: DocumentResponse): FetchedDocument {
  if (status === 404 || status === 410) return { kind: 'gone', fault: `status ${status}` }
  if (status !== 200) return { kind: 'unreachable', fault: `status ${status}` }
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) return { kind: 'unreachable', fault: 'no JSON' }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return { kind: 'unreachable', fault: 'encoded' }
  if (body.length > LARGEST_DOCUMENT) return { kind: 'gone', fault: `over ${LARGEST_DOCUMENT} bytes` }
  const members = jsonObject(body)
  return members === undefined ? { kind: 'gone', fault: 'no JSON object' } : { kind: 'document', members }
}

/** A byte order mark is no JSON, so the decoder leaves it there. */
function jsonObject(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
