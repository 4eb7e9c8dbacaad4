import * as z from 'zod'
import {
  type ClientMetadataMembers,
  invalidMember,
  invalidMetadata,
  type RegisteredBy,
} from '../../clients/client-metadata.ts'
import { listOf, text } from '../../http/message.ts'
import { defineErrors } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { parseScope, type ScopeCatalogue, scopesWithoutUser } from '../../kernel/scope.ts'

export const CLIENT_CREDENTIALS = 'client_credentials'

export const CLIENT_CREDENTIALS_ERRORS = defineErrors({
  client_credentials_not_allowed: [
    'unauthorized_client',
    'This client may not use client credentials. Ask the operator to allow it',
  ],
  too_many_client_credentials_tokens: [
    'temporarily_unavailable',
    'This client requested too many tokens. Use each until it expires',
    429,
  ],
})

/** The client metadata of a static client. `scopes` is not used here: it is for tokens of users. */
export function clientCredentialsMetadata(
  registeredBy: RegisteredBy,
  catalogue: ScopeCatalogue,
): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  const allowed = scopesWithoutUser(catalogue)
  const name = text().refine((scope) => allowed.includes(scope), {
    error: ({ input }) => `${String(input)} is no scope for client credentials`,
  })
  return { client_credentials_scopes: listOf(name, 500).optional() }
}

/** The maximum scopes of a client's own tokens. Scopes that the server no longer has are left out. */
export function clientCredentialsCeiling(
  { origin, featureMetadata }: Client,
  catalogue: ScopeCatalogue,
): readonly string[] {
  // Records of earlier releases have `machine_scopes`, and a scope in place of a list.
  const stored = featureMetadata?.client_credentials_scopes ?? featureMetadata?.machine_scopes
  const names = typeof stored === 'string' ? parseScope(stored) : z.array(z.string()).safeParse(stored).data
  const allowed = scopesWithoutUser(catalogue)
  return origin === 'integration' ? (names?.filter((name) => allowed.includes(name)) ?? []) : []
}

/** @throws OAuthError `invalid_client_metadata` for a client that could never get such a token */
export function checkClientCredentials(client: Client, catalogue: ScopeCatalogue): void {
  if (!client.grantTypes.includes(CLIENT_CREDENTIALS)) return
  if (client.tokenEndpointAuthMethod === 'none')
    throw invalidMetadata(`${CLIENT_CREDENTIALS} needs a client that authenticates`)
  if (clientCredentialsCeiling(client, catalogue).length === 0)
    throw invalidMember('', `${CLIENT_CREDENTIALS} needs `, 'clientCredentialsScopes')
}
