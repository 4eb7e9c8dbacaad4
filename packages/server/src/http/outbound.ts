import { X509Certificate } from 'node:crypto'
import type { DocumentFetch } from '@grantkit/core/client-documents'
import type { MessagePost } from '@grantkit/core/internal'
import { type SafeFetchOptions, safeFetch, safePost } from '@grantkit/safe-fetch'
import type { Config } from '../config/config.ts'
import { contentOf } from '../config/text-file.ts'

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
  const ca = testCa && (await contentOf('CIMD_TEST_CA', testCa, certificatesOf))
  return { issuer: config.baseUrl, unsafeForTests: { hosts, ...(ca ? { ca } : {}) } }
}

/** @throws Error if the first one is invalid */
function certificatesOf(pem: string): string {
  return new X509Certificate(pem) && pem
}
