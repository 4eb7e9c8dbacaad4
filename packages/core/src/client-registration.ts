import { OAuthError } from './oauth-error.ts'
import { type ClientMetadata, registeredScopes } from './rules/client-metadata.ts'
import { isLoopback } from './rules/redirect-uri.ts'
import { newClientId, newSecret, sha256 } from './secrets.ts'
import type { ServerContext } from './server-context.ts'
import type { Client } from './store.ts'

/** A client just made, with the secret nobody will see again. */
export interface NewClient {
  readonly client: Client
  readonly clientSecret?: string
}

/** What tells a client that registered itself from one that the operator added. */
export type ClientTerms = Pick<
  Client,
  'origin' | 'expiresAt' | 'redirectUris' | 'resourceServer' | 'rememberConsent'
>

/** Makes and stores a client of valid metadata. @throws OAuthError `invalid_client_metadata` */
export async function addClient(
  server: ServerContext,
  metadata: ClientMetadata,
  terms: ClientTerms,
): Promise<NewClient> {
  const clientSecret = metadata.token_endpoint_auth_method === 'none' ? undefined : newSecret(server.random)
  const client: Client = {
    ...withoutUndefined(terms),
    ...withoutUndefined(descriptiveMembers(metadata)),
    clientId: newClientId(server.random),
    applicationType: metadata.application_type ?? (terms.redirectUris.every(isLoopback) ? 'native' : 'web'),
    tokenEndpointAuthMethod: metadata.token_endpoint_auth_method,
    grantTypes: metadata.grant_types,
    idTokenSignedResponseAlg: signingAlgorithm(server, metadata),
    createdAt: server.now(),
    ...(clientSecret === undefined ? {} : { secretHash: sha256(clientSecret) }),
    ...scopeMember(server, metadata.scope),
  }
  const stored = await server.store.clients.insert(client.clientId, client, client.expiresAt)
  if (!stored) throw new Error('A new client_id exists already: the source of randomness repeats itself')
  return { client, ...(clientSecret === undefined ? {} : { clientSecret }) }
}

/** The client information response (RFC 7591 3.2.1): the metadata as it took effect. */
export function clientInformation({ client, clientSecret }: NewClient): object {
  return {
    client_id: client.clientId,
    client_id_issued_at: client.createdAt,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret, client_secret_expires_at: 0 }),
    client_name: client.clientName,
    application_type: client.applicationType,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    grant_types: client.grantTypes,
    response_types: ['code'],
    scope: client.scopes?.join(' '),
    id_token_signed_response_alg: client.idTokenSignedResponseAlg,
    client_uri: client.clientUri,
    logo_uri: client.logoUri,
    tos_uri: client.tosUri,
    policy_uri: client.policyUri,
    contacts: client.contacts,
    software_id: client.softwareId,
    software_version: client.softwareVersion,
  }
}

function descriptiveMembers(metadata: ClientMetadata) {
  return {
    clientName: metadata.client_name,
    clientUri: metadata.client_uri,
    logoUri: metadata.logo_uri,
    tosUri: metadata.tos_uri,
    policyUri: metadata.policy_uri,
    contacts: metadata.contacts,
    softwareId: metadata.software_id,
    softwareVersion: metadata.software_version,
  }
}

function signingAlgorithm(
  { keys }: ServerContext,
  metadata: ClientMetadata,
): Client['idTokenSignedResponseAlg'] {
  const alg = metadata.id_token_signed_response_alg
  const offered = keys.algorithms.length === 0 || keys.algorithms.includes(alg)
  if (!offered)
    throw new OAuthError('client_metadata_invalid', `id_token_signed_response_alg: no key for ${alg} here`)
  return alg
}

function scopeMember(server: ServerContext, scope: string | undefined): Pick<Client, 'scopes'> {
  if (scope === undefined) return {}
  const scopes = registeredScopes(scope, server.scopes)
  if (scopes === undefined)
    throw new OAuthError('client_metadata_invalid', 'scope: names no scope of this server')
  return { scopes }
}

function withoutUndefined<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const kept: Partial<T> = {}
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name]
  return kept as never
}
