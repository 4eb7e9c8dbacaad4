import { X509Certificate } from 'node:crypto'
import type { AdmissionPolicy, DocumentFetch } from '@grantkit/core/client-documents'
import type { MessagePost } from '@grantkit/core/internal'
import type { KnownClients } from '@grantkit/core/known-clients'
import { type SafeFetchOptions, safeFetch, safePost } from '@grantkit/safe-fetch'
import * as z from 'zod'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { faultsOf, parseJson, readTextFile } from '../config/text-file.ts'
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

/** Fetches the URLs of unauthenticated callers. @throws ConfigError when a file cannot be used */
export async function outboundFetch(config: Config): Promise<DocumentFetch> {
  return safeFetch(await outboundOptions(config))
}

const POST_DEADLINE_MS = 5000

/** Posts to URLs of clients. @throws ConfigError when a file cannot be used */
export async function outboundPost(config: Config): Promise<MessagePost> {
  return safePost({ ...(await outboundOptions(config)), deadline: POST_DEADLINE_MS })
}

async function outboundOptions(config: Config): Promise<SafeFetchOptions> {
  const { testCa, testResolve: hosts } = config.features.clientDocuments
  const ca = await contentOf('CIMD_TEST_CA', testCa, certificatesOf)
  return { issuer: config.baseUrl, unsafeForTests: { hosts, ...(ca === undefined ? {} : { ca }) } }
}

/** @throws Error if the first one is invalid */
function certificatesOf(pem: string): string {
  return new X509Certificate(pem) && pem
}

/** What a configured file says. @throws ConfigError when it cannot be used */
export async function contentOf<T>(
  variable: string,
  path: string | undefined,
  read: (text: string, path: string) => T,
  expected = 'documents',
): Promise<T | undefined> {
  if (path === undefined) return undefined
  try {
    return read(await readTextFile(path), path)
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? `it is no list of ${expected}: ${faultsOf(error)}`
        : (error as Error).message.replace(`${path} is`, 'it is')
    throw new ConfigError([`${variable} cannot be used: ${path}: ${reason}`])
  }
}
