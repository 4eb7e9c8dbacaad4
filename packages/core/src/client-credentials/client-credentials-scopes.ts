import { type ClientMetadataMembers, METADATA_ERRORS, type RegisteredBy } from '../clients/client-metadata.ts'
import { text } from '../http/message.ts'
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

/** What the operator gives an integration. `scope` beside it is for tokens of users, and never for these. */
export function clientCredentialsMetadata(
  registeredBy: RegisteredBy,
  catalogue: ScopeCatalogue,
): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  const allowed = clientCredentialsScopes(catalogue)
  const fault = (scope: string) => parseScope(scope)?.find((name) => !allowed.includes(name))
  return {
    client_credentials_scopes: text()
      .refine((scope) => parseScope(scope) !== undefined, 'must be names separated by single spaces')
      .refine((scope) => fault(scope) === undefined, {
        error: ({ input }) => `${fault(String(input))} is no scope for client credentials`,
      })
      .optional(),
  }
}

/** The most that a client may have for itself. A scope that the service took away since is not in it. */
export function clientCredentialsCeiling(
  { origin, featureMetadata }: Client,
  catalogue: ScopeCatalogue,
): readonly string[] {
  // Records of earlier releases have `machine_scopes`.
  const given = featureMetadata?.client_credentials_scopes ?? featureMetadata?.machine_scopes
  const names = origin === 'integration' && typeof given === 'string' ? parseScope(given) : undefined
  const allowed = clientCredentialsScopes(catalogue)
  return names?.filter((name) => allowed.includes(name)) ?? []
}

/** @throws OAuthError `invalid_client_metadata` for a client that could never get a token for itself */
export function checkClientCredentials(client: Client, catalogue: ScopeCatalogue): void {
  if (!client.grantTypes.includes(CLIENT_CREDENTIALS)) return
  if (client.tokenEndpointAuthMethod === 'none')
    throw refused(`${CLIENT_CREDENTIALS} needs a client that authenticates`)
  if (clientCredentialsCeiling(client, catalogue).length === 0)
    throw refused(`${CLIENT_CREDENTIALS} needs client_credentials_scopes`)
}

function refused(detail: string): OAuthError {
  return new OAuthError(METADATA_ERRORS.client_metadata_invalid, detail)
}
