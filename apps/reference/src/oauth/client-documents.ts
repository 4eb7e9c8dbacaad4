import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { DocumentFetch } from '@grantkit/core/client-documents'
import { safeFetch } from '@grantkit/safe-fetch'
import { z } from 'zod'
import { type Settings, SettingsError } from '../settings/settings.ts'

/** How the service resolves clients whose id is the URL of a client ID metadata document (CIMD). */
export interface ClientDocuments {
  readonly pinned: readonly Readonly<Record<string, unknown>>[]
  readonly fetch: DocumentFetch
  /** Every document is admitted; https redirect URIs only of documents that the operator lists. */
  readonly admit: (clientId: string) => 'yes' | 'https-callbacks-too'
}

const Documents = z.array(z.record(z.string(), z.unknown()))

/** @returns `undefined` with `CIMD=off`. @throws SettingsError when a file cannot be used */
export async function clientDocumentsOf(settings: Settings): Promise<ClientDocuments | undefined> {
  const { CIMD, CIMD_ADMIT: admitted, CIMD_PINNED } = settings
  if (CIMD === 'off') return undefined
  const pinned = await contentOf('CIMD_PINNED', CIMD_PINNED, (text) => Documents.parse(JSON.parse(text)))
  return {
    pinned: pinned ?? [],
    fetch: await outboundFetch(settings),
    admit: (clientId) => (admitted.includes(clientId) ? 'https-callbacks-too' : 'yes'),
  }
}

/** Fetches the URLs of unauthenticated callers. @throws SettingsError when a file cannot be used */
export async function outboundFetch(settings: Settings): Promise<DocumentFetch> {
  const { BASE_URL: issuer, CIMD_TEST_CA, CIMD_TEST_RESOLVE: hosts } = settings
  const ca = await contentOf('CIMD_TEST_CA', CIMD_TEST_CA, certificatesOf)
  return safeFetch({ issuer, unsafeForTests: { hosts, ...(ca === undefined ? {} : { ca }) } })
}

/** @throws Error if the first one is invalid */
function certificatesOf(pem: string): string {
  return new X509Certificate(pem) && pem
}

async function contentOf<T>(
  setting: string,
  path: string | undefined,
  read: (text: string) => T,
): Promise<T | undefined> {
  if (path === undefined) return undefined
  try {
    return read(await readFile(path, 'utf8'))
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it is no list of documents' : (error as Error).message
    throw new SettingsError([`${setting} cannot be used: ${path}: ${reason}`])
  }
}
