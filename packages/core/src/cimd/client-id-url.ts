/**
 * Client identifiers that are the address of a document (draft-ietf-oauth-client-id-metadata-document 3): which addresses are
 * valid, and which of them the operator admits. Nothing is fetched, decoded or rewritten here.
 */
import { MAX_CLIENT_ID_LENGTH } from '../clients/client-sources.ts'
import { httpsParts, publicUrlFault } from '../http/public-url.ts'
import type { Kernel } from '../kernel/kernel.ts'

const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i

/** Why a `client_id` is not the address of a document. The server is no client of its own. */
export function clientIdUrlFault(clientId: string, kernel: Pick<Kernel, 'issuer'>): string | undefined {
  if (clientId.length > MAX_CLIENT_ID_LENGTH) return `is longer than ${MAX_CLIENT_ID_LENGTH} characters`
  const { path, query, fragment } = httpsParts(clientId) ?? {}
  if (path === undefined) return 'is no https address'
  if (fragment !== undefined) return 'has a fragment'
  if (query !== undefined) return 'has a query'
  if (path === '' || path === '/') return 'has no path'
  if (DOT_SEGMENT.test(path)) return 'has a dot segment'
  return publicUrlFault(clientId, kernel)
}

/** Whether a document may describe a client, and which redirect URIs it may list. */
export type Admission =
  | 'yes'
  | 'no'
  /** The operator trusts the host as a static client: the https redirect URIs of the document are accepted too. */
  | 'https-callbacks-too'

/** Validates a `client_id` before anything is fetched. Compare whole texts, never prefixes. */
export type AdmissionPolicy = (clientId: string) => Admission

/**
 * Admits the documents of these hosts and no others. A host is compared as it is written in the `client_id`.
 *
 * @example
 * ```ts
 * import { admitHosts, clientDocuments } from '@grantkit/core/client-documents'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * const admit = admitHosts(['claude.ai', 'vscode.dev'])
 * const documents = clientDocuments({ fetch: safeFetch({ issuer: 'https://auth.example' }), admit })
 * ```
 */
export function admitHosts(hosts: readonly string[], admission: Admission = 'yes'): AdmissionPolicy {
  return (clientId) => (hosts.includes(new URL(clientId).host) ? admission : 'no')
}

/**
 * Admits these documents and no others.
 *
 * @example
 * ```ts
 * import { admitClientIds, clientDocuments } from '@grantkit/core/client-documents'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * const admit = admitClientIds(['https://app.example/client.json'])
 * const documents = clientDocuments({ fetch: safeFetch({ issuer: 'https://auth.example' }), admit })
 * ```
 */
export function admitClientIds(clientIds: readonly string[], admission: Admission = 'yes'): AdmissionPolicy {
  return (clientId) => (clientIds.includes(clientId) ? admission : 'no')
}
