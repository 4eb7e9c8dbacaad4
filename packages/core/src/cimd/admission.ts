/** Whether the host of a document may say who a client is, and which redirect URIs its document may list. */
export type Admission =
  | 'yes'
  | 'no'
  /** The operator trusts the host like an integration: also the https redirect URIs of the document are accepted. */
  | 'https-callbacks-too'

/** Validates a `client_id` before anything is asked of its host. Compare whole texts, never their beginnings. */
export type AdmissionPolicy = (clientId: string) => Admission

/**
 * Admits the documents of these hosts, as they are written in a `client_id`, and no other.
 *
 * @example
 * ```ts
 * import { admitHosts, clientDocuments } from '@grantkit/core'
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
 * Admits these documents and no other.
 *
 * @example
 * ```ts
 * import { admitClientIds, clientDocuments } from '@grantkit/core'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * const admit = admitClientIds(['https://app.example/client.json'])
 * const documents = clientDocuments({ fetch: safeFetch({ issuer: 'https://auth.example' }), admit })
 * ```
 */
export function admitClientIds(clientIds: readonly string[], admission: Admission = 'yes'): AdmissionPolicy {
  return (clientId) => (clientIds.includes(clientId) ? admission : 'no')
}
