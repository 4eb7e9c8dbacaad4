/**
 * Client ID metadata documents (CIMD): a `client_id` is the URL of a document that describes the client. The operator provides
 * the documents, or a function to fetch them.
 *
 * @module
 */
import type { Feature, MountedFeatures } from '../../feature.ts'
import type { DocumentFetch } from '../../http/outbound.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Client } from '../../kernel/records.ts'
import {
  type AdmissionPolicy,
  clientIdUrlFault,
  documentReader,
  type Members,
  type ReadDocument,
} from './client-document.ts'
import {
  admitKnown,
  admittedTerms,
  fetchedClients,
  type KnownDocument,
  type OnDocumentChange,
} from './fetched-clients.ts'

export type {
  DocumentFetch,
  DocumentFetchFault,
  DocumentFetchRequest,
  DocumentFetchResponse,
} from '../../http/outbound.ts'
export { type Admission, type AdmissionPolicy, admitClientIds, admitHosts } from './client-document.ts'
export { type DocumentFailed, freshFor } from './document-request.ts'
export type { DocumentChanged, DocumentCopyUsed, KnownDocument, OnDocumentChange } from './fetched-clients.ts'

export interface ClientDocumentsOptions {
  /** Documents as their hosts publish them. These are never fetched, and win over copies of `knownDocuments`. */
  readonly pinned?: readonly Readonly<Record<string, unknown>>[] | undefined
  /** Fetches all other documents. Default: a client whose document is not pinned is unknown. */
  readonly fetch?: DocumentFetch | undefined
  /**
   * Which documents are fetched, and whose https redirect URIs are accepted, apart from `knownDocuments`. Default: all documents,
   * and no https URIs.
   */
  readonly admit?: AdmissionPolicy | undefined
  /** The documents of `knownClients()`, with their copies. They are admitted, with the https redirect URIs of their entry. Default: none. */
  readonly knownDocuments?: readonly KnownDocument[] | undefined
  /** What happens to earlier grants when the document of their client changes. Default `keep`. */
  readonly onChange?: OnDocumentChange | undefined
}

/** A pinned client never expires. */
const NEVER = Number.MAX_SAFE_INTEGER

/**
 * Accepts clients with client ID metadata documents (draft-ietf-oauth-client-id-metadata-document). `redirectUriPolicy`
 * validates the redirect URI of each request. The server metadata says that documents are supported, and clients with a
 * document then use it instead of registering: fetch documents, or pin the documents of all clients that you support.
 *
 * This server fetches a document only for an authorization request of a signed-in user. Fetches and the cache are limited in
 * each process; a `rateLimiter` limits each user too.
 *
 * @throws Error that names the document at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { clientDocuments } from '@grantkit/core/client-documents'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * const features = [clientDocuments({ fetch: safeFetch({ issuer }) })]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function clientDocuments({
  pinned = [],
  fetch,
  admit = () => 'yes',
  onChange = 'keep',
  knownDocuments = [],
}: ClientDocumentsOptions): Feature {
  const documents: PinnedDocument[] = knownDocuments.flatMap(({ url, copy, pinned }) =>
    pinned && copy ? [[`knownDocuments: ${url}`, copy.members]] : [],
  )
  for (const [index, members] of pinned.entries()) documents.push([`pinned[${index}]`, members])
  return (kernel) => ({
    clientSources: (methods, checkClient) => {
      const read = documentReader(kernel, methods, checkClient)
      const policy = admitKnown(knownDocuments, admit)
      const admitted = { admit: policy, onChange, knownDocuments }
      const fetched = fetch ? [fetchedClients({ kernel, read, fetch, ...admitted })] : []
      const clients = new Map<string, Client>()
      for (const document of documents) {
        const client = pinnedClient(kernel, read, document)
        const { clientId } = client
        const terms = admittedTerms(clientId, policy(clientId), knownDocuments)
        clients.set(clientId, { ...client, ...terms })
      }
      return [{ owns: (id) => clients.has(id), find: async (id) => clients.get(id) }, ...fetched]
    },
    metadata: { client_id_metadata_document_supported: documents.length > 0 || fetch !== undefined },
    checkMounted: (mounted) => {
      if (fetch !== undefined) checkDocumentsCanPush(mounted)
    },
  })
}

/** A client whose document is not fetched yet cannot authenticate at a push, so public clients must be allowed. */
function checkDocumentsCanPush({ clientAuthMethods, metadata }: MountedFeatures): void {
  const publicClients = clientAuthMethods.some(({ name }) => name === 'none')
  if (!publicClients && metadata.require_pushed_authorization_requests === true)
    throw new Error(
      'clientDocuments: fetch does not work with pushedAuthorizationRequests: required without the authentication method none; pin the documents',
    )
}

/** The place of a document in the options, which errors name, and its members. */
type PinnedDocument = readonly [option: string, members: Members]

function pinnedClient(kernel: Kernel, read: ReadDocument, [option, members]: PinnedDocument): Client {
  const id = String(members.client_id)
  const fault = clientIdUrlFault(id, kernel)
  if (fault !== undefined) throw new Error(`${option}: client_id ${fault}: ${id}`)
  const verdict = read(id, members, NEVER)
  if (verdict.kind !== 'client') throw new Error(`${option}: ${verdict.fault}`)
  return verdict.client
}
