/**
 * One request for a document. An id and the copy that is kept go in; a new copy comes out, or that there is no such document,
 * or why nobody can tell.
 */

import type { DocumentFetch } from '../http/document-fetch.ts'
import { fetchedDocument } from '../http/fetched-document.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { ReadDocument } from './client-document.ts'
import type { CachedDocument } from './document-cache.ts'
import { freshFor, type ResponseHeaders } from './freshness.ts'

/** The draft recommends 5 KB. */
const MAX_DOCUMENT_BYTES = 5 * 1024
/** Ends a fetch that has no deadline of its own. */
const DEADLINE_MS = 10_000
/** A document that must not be stored is kept for as long as the user looks at the page that shows it. */
const PAGE_LIFETIME = 600

export type DocumentAnswer =
  | { readonly kind: 'document'; readonly document: CachedDocument }
  | { readonly kind: 'gone' | 'unreachable'; readonly fault: string; readonly cause?: unknown }

/** Never rejects: whatever a fetch throws, its place is given back. */
export async function requestDocument(
  kernel: Kernel,
  read: ReadDocument,
  fetch: DocumentFetch,
  clientId: string,
  kept: CachedDocument | undefined,
): Promise<DocumentAnswer> {
  try {
    const response = await fetch(clientId, {
      accept: 'application/json',
      maxBytes: MAX_DOCUMENT_BYTES,
      headers: kept?.validators ?? {},
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const { status, headers } = response
    if (status === 304 && kept?.validators !== undefined)
      return documentOf(kernel, kept.client, headers, kept.validators)
    const fetched = fetchedDocument(response, MAX_DOCUMENT_BYTES)
    if (fetched.kind !== 'document') return fetched
    const verdict = read(clientId, fetched.members, kernel.now())
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
): DocumentAnswer {
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

const MAX_VALIDATOR_LENGTH = 200

/** The entity tag, or else the date (RFC 9110 13.1.3 ignores the date beside a tag). */
function validatorsOf({ etag, 'last-modified': date }: ResponseHeaders): CachedDocument['validators'] {
  if (etag !== undefined && etag.length <= MAX_VALIDATOR_LENGTH) return { 'if-none-match': etag }
  if (date !== undefined && date.length <= MAX_VALIDATOR_LENGTH) return { 'if-modified-since': date }
  return undefined
}
