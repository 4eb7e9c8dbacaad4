import type { DocumentFetch } from '@grantkit/core/client-documents'
import { CLIENT_CHECKS } from './client-checks.ts'
import { type Finding, findingOf } from './diagnose.ts'
import { clientIdFault } from './document-rules.ts'

const MAX_DOCUMENT_BYTES = 5 * 1024
const NEVER = new AbortController().signal

/**
 * Fetches the document of a client as a server would, and says whether a server would accept it. An id that a server
 * refuses unseen is not fetched.
 *
 * @param clientId the address of the document
 * @param fetch `safeFetch` of `@grantkit/safe-fetch`
 *
 * @example
 * ```ts
 * import { examineClient } from '@grantkit/doctor'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * const fetch = safeFetch({ issuer: 'https://auth.example' })
 * const findings = await examineClient('https://app.example/client.json', fetch)
 * ```
 */
export async function examineClient(clientId: string, fetch: DocumentFetch): Promise<readonly Finding[]> {
  const request = { accept: 'application/json', maxBytes: MAX_DOCUMENT_BYTES, headers: {}, signal: NEVER }
  const answer =
    clientIdFault(clientId) === undefined
      ? await fetch(clientId, request).catch((error: Error) => error)
      : undefined
  return CLIENT_CHECKS.map((check) => findingOf(check, { clientId, answer }))
}
