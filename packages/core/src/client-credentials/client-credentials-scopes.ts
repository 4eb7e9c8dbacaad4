import { z } from 'zod'
import { type ClientMetadataMembers, METADATA_ERRORS, type RegisteredBy } from '../clients/client-metadata.ts'
import { listOf, text } from '../http/message.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { parseScope, type ScopeCatalogue } from '../kernel/scope.ts'

export const CLIENT_CREDENTIALS = 'client_credentials'

export const CLIENT_CREDENTIALS_ERRORS = defineErrors({
  client_credentials_not_allowed: [
    'unauthorized_client',
    'The operator has allowed this client nothing for itself',
  ],
  too_many_client_credentials_tokens: [
    'temporarily_unavailable',
    'This client got too many tokens; use each until it expires',
    429,
  ],
})

/** Scopes of OpenID Connect Core 5.4 and 11: they open what is said of a user. */
const ABOUT_A_USER = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access']

/** The scopes that can be requested without a user. */
function clientCredentialsScopes(catalogue: ScopeCatalogue): readonly string[] {
  return Object.entries(catalogue)
    .filter(([name, { user }]) => user !== true && !ABOUT_A_USER.includes(name))
    .map(([name]) => name)
}

/** What the operator allows a static client. `scopes` is for tokens of users, and never for these. */
export function clientCredentialsMetadata(
  registeredBy: RegisteredBy,
  catalogue: ScopeCatalogue,
): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  const allowed = clientCredentialsScopes(catalogue)
  const name = text().refine((scope) => allowed.includes(scope), {
    error: ({ input }) => `${String(input)} is no scope for client credentials`,
  })
  return { client_credentials_scopes: listOf(name, 500).optional() }
}

/** The most that a client may have for itself. A scope that the service took away since is not in it. */
export function clientCredentialsCeiling(
  { origin, featureMetadata }: Client,
  catalogue: ScopeCatalogue,
): readonly string[] {
  // Records of earlier releases have `machine_scopes`, and a scope in place of a list.
  const stored = featureMetadata?.client_credentials_scopes ?? featureMetadata?.machine_scopes
  const names = typeof stored === 'string' ? parseScope(stored) : z.array(z.string()).safeParse(stored).data
  const allowed = clientCredentialsScopes(catalogue)
  return origin === 'integration' ? (names?.filter((name) => allowed.includes(name)) ?? []) : []
}

/** @throws OAuthError `invalid_client_metadata` for a client that could never get a token for itself */
export function checkClientCredentials(client: Client, catalogue: ScopeCatalogue): void {
  if (!client.grantTypes.includes(CLIENT_CREDENTIALS)) return
  if (client.tokenEndpointAuthMethod === 'none')
    throw refused(`${CLIENT_CREDENTIALS} needs a client that authenticates`)
  if (clientCredentialsCeiling(client, catalogue).length === 0)
    throw refused(`${CLIENT_CREDENTIALS} needs clientCredentialsScopes`)
}

function refused(detail: string): OAuthError {
  return new OAuthError(METADATA_ERRORS.client_metadata_invalid, detail)
}
