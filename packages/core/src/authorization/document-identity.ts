import { isLoopback } from '../clients/redirect-uri.ts'
import type { DocumentIdentity } from './interaction.ts'
import type { RedirectTarget } from './redirect-target.ts'

/** Hosts where anybody can publish, below a name or a path of their own. */
export const SHARED_HOSTS = [
  'github.io',
  'githubusercontent.com',
  'pages.dev',
  'workers.dev',
  'vercel.app',
  'netlify.app',
  'fly.dev',
]

/** Who vouches for a client that a document describes (draft-ietf-oauth-client-id-metadata-document 8.5). */
export function documentIdentity(
  { client, redirectUri }: RedirectTarget,
  sharedHosts: readonly string[],
): DocumentIdentity | undefined {
  if (client.origin !== 'document') return undefined
  const { host, hostname } = new URL(client.clientId)
  const shared = sharedHosts.some((name) => hostname === name || hostname.endsWith(`.${name}`))
  return { host, shared, loopback: isLoopback(redirectUri) }
}
