import type { AdmissionPolicy, DocumentFetch } from '@grantkit/core/client-documents'
import type { KnownClients } from '@grantkit/known-clients'
import * as z from 'zod'
import type { Config } from '../config/config.ts'
import { contentOf, parseJson } from '../config/text-file.ts'
import { outboundFetch } from '../http/outbound.ts'
import { knownClientsOf } from './known-clients.ts'

/** How the service resolves clients whose id is the URL of a client ID metadata document (CIMD). */
export interface ClientDocuments extends Pick<KnownClients, 'knownDocuments'> {
  readonly pinned: readonly Readonly<Record<string, unknown>>[]
  readonly fetch: DocumentFetch
  /** Every document is admitted; https redirect URIs only of documents that the operator lists. */
  readonly admit: AdmissionPolicy
}

const Documents = z.array(z.record(z.string(), z.unknown()))

/** @returns `undefined` with `CIMD=off`. @throws ConfigError when a file cannot be used */
export async function clientDocumentsOf(config: Config): Promise<ClientDocuments | undefined> {
  const { enabled, admit, pinned: file } = config.features.clientDocuments
  if (!enabled) return undefined
  const pinned = await contentOf('CIMD_PINNED', file, (text, path) => Documents.parse(parseJson(path, text)))
  return {
    pinned: pinned ?? [],
    fetch: await outboundFetch(config),
    admit: (clientId) => (admit.includes(clientId) ? 'https-callbacks-too' : 'yes'),
    knownDocuments: knownClientsOf(config).knownDocuments,
  }
}
