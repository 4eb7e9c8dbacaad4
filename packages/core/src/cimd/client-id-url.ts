/**
 * Client identifiers that are the address of a document (draft-ietf-oauth-client-id-metadata-document 3). A `client_id`
 * goes in as it was sent, the fault of it comes out. Nothing is fetched, decoded or rewritten here.
 */
import { MAX_CLIENT_ID_LENGTH } from '../clients/client-sources.ts'
import { httpsParts, publicUrlFault } from '../http/public-url.ts'
import type { Kernel } from '../kernel/kernel.ts'

const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i

/** The fault of a document's address. The server itself is no client. */
export function clientIdUrlFault(clientId: string, { issuer }: Pick<Kernel, 'issuer'>): string | undefined {
  if (clientId.length > MAX_CLIENT_ID_LENGTH) return `is longer than ${MAX_CLIENT_ID_LENGTH} characters`
  const { path, query, fragment } = httpsParts(clientId) ?? {}
  if (path === undefined) return 'is no https address'
  if (fragment !== undefined) return 'has a fragment'
  if (query !== undefined) return 'has a query'
  if (path === '' || path === '/') return 'has no path'
  if (DOT_SEGMENT.test(path)) return 'has a dot segment'
  return publicUrlFault(clientId, issuer)
}
