import { isLoopback } from '../clients/redirect-uri.ts'
import type { DocumentIdentity } from './interaction.ts'
import type { RedirectTarget } from './redirect-target.ts'

/** Who vouches for a client that a document describes (draft-ietf-oauth-client-id-metadata-document 8.5). */
export function documentIdentity({ client, redirectUri }: RedirectTarget): DocumentIdentity | undefined {
  if (client.origin !== 'document') return undefined
  return { host: new URL(client.clientId).host, loopback: isLoopback(redirectUri) }
}
