/**
 * Clients by Client ID Metadata Documents: a `client_id` is the address of a document that describes its client. The
 * operator gives the documents, so nothing is ever fetched.
 */
import type { FeatureFactory } from '../feature.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { clientOfDocument } from './client-document.ts'
import { clientIdUrlFault } from './client-id-url.ts'

export interface ClientDocumentsOptions {
  /** The documents, as their hosts publish them. A client whose document is not among them stays unknown. */
  readonly pinned: readonly Readonly<Record<string, unknown>>[]
}

/** A client without a document that is pinned any more is gone with the next start; until then it does not expire. */
const NEVER = Number.MAX_SAFE_INTEGER
/** A document holds no secret, so its client is public. */
const OFFERED = {
  authMethods: ['none'],
  grantTypes: ['authorization_code', 'refresh_token'],
  signingAlgorithms: [],
}

/**
 * Accepts clients by their documents (draft-ietf-oauth-client-id-metadata-document). `redirectUriPolicy` judges the
 * redirect URI of each request. The metadata says that documents are supported, and clients that have one then use it
 * instead of registering: give the documents of all clients that you want to serve.
 *
 * @throws Error that names the document at fault, when the server is created
 */
export function clientDocuments({ pinned }: ClientDocumentsOptions): FeatureFactory {
  return (kernel) => {
    const clients = new Map(
      pinned.map((members, index) => {
        const client = pinnedClient(kernel, `pinned[${index}]`, members)
        return [client.clientId, client]
      }),
    )
    return {
      clientSources: [{ owns: (id) => clients.has(id), find: async (id) => clients.get(id) }],
      metadata: { client_id_metadata_document_supported: true },
    }
  }
}

function pinnedClient(kernel: Kernel, option: string, members: Readonly<Record<string, unknown>>): Client {
  const id = String(members.client_id)
  const fault = clientIdUrlFault(id, kernel)
  if (fault !== undefined) throw new Error(`${option}: client_id ${fault}: ${id}`)
  const verdict = clientOfDocument(kernel, id, members, { ...OFFERED, expiresAt: NEVER })
  if (verdict.kind !== 'client') throw new Error(`${option}: ${verdict.fault}`)
  return verdict.client
}
