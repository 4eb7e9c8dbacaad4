import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { newClientId, newSecret, type Secret, sha256 } from '../kernel/secrets.ts'
import {
  type ClientMetadata,
  METADATA_ERRORS,
  type Registrable,
  registeredScopes,
} from './client-metadata.ts'
import { isNative } from './redirect-uri.ts'

/** A new client with its secret, which is shown only once. */
export interface NewClient {
  readonly client: Client
  readonly clientSecret?: Secret | undefined
}

/** The difference between a client that registered itself and one that the operator added. */
export type ClientTerms = Pick<
  Client,
  | 'origin'
  | 'expiresAt'
  | 'redirectUris'
  | 'resourceServer'
  | 'rememberConsent'
  | 'pkceOptional'
  | 'featureMetadata'
  | 'otherAuthMethods'
  | 'cannotAuthenticate'
>

/** Creates and stores a client from valid metadata. @throws OAuthError `invalid_client_metadata` */
export async function addClient(
  kernel: Kernel,
  metadata: ClientMetadata,
  terms: ClientTerms,
  { checkClient, secretMethods = [] }: Pick<Registrable, 'checkClient' | 'secretMethods'>,
): Promise<NewClient> {
  const usesSecret = secretMethods.includes(metadata.token_endpoint_auth_method)
  const clientSecret = usesSecret ? newSecret(kernel.random) : undefined
  const secretHash = clientSecret && sha256(clientSecret)
  const client = clientFrom(kernel, newClientId(kernel.random), metadata, { ...terms, secretHash })
  checkClient?.(client)
  const stored = await kernel.store.clients.records.insert(client.clientId, client, client.expiresAt)
  if (!stored) throw new Error('A new client_id exists already: the source of randomness repeats itself')
  return { client, clientSecret }
}

/** The record of a client. @throws OAuthError `invalid_client_metadata` */
export function clientFrom(
  kernel: Kernel,
  clientId: string,
  metadata: ClientMetadata,
  terms: ClientTerms & Pick<Client, 'secretHash'>,
): Client {
  return withoutUndefined<Client>({
    ...terms,
    ...descriptiveMembers(metadata),
    clientId,
    applicationType: metadata.application_type ?? (terms.redirectUris.every(isNative) ? 'native' : 'web'),
    tokenEndpointAuthMethod: metadata.token_endpoint_auth_method,
    grantTypes: metadata.grant_types,
    idTokenSignedResponseAlg: metadata.id_token_signed_response_alg,
    createdAt: kernel.now(),
    scopes: scopesOf(kernel, metadata.scope),
  })
}

/** The client information response (RFC 7591 3.2.1): the metadata as it took effect. */
export function clientInformation({ client, clientSecret }: NewClient): object {
  return {
    client_id: client.clientId,
    client_id_issued_at: client.createdAt,
    client_secret: clientSecret,
    client_secret_expires_at: clientSecret === undefined ? undefined : 0,
    client_name: client.clientName,
    application_type: client.applicationType,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    grant_types: client.grantTypes,
    response_types: client.grantTypes.includes('authorization_code') ? ['code'] : [],
    scope: client.scopes?.join(' '),
    id_token_signed_response_alg: client.idTokenSignedResponseAlg,
    client_uri: client.clientUri,
    logo_uri: client.logoUri,
    tos_uri: client.tosUri,
    policy_uri: client.policyUri,
    contacts: client.contacts,
    software_id: client.softwareId,
    software_version: client.softwareVersion,
    ...client.featureMetadata,
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

function scopesOf(kernel: Kernel, scope: string | undefined): readonly string[] | undefined {
  if (scope === undefined) return undefined
  const scopes = registeredScopes(scope, kernel.scopes)
  if (scopes !== undefined) return scopes
  throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, 'scope: names no scope of this server')
}

/** Keeps the record small: most clients send little metadata. */
function withoutUndefined<T extends object>(members: T): T {
  const kept: Partial<T> = {}
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name]
  return kept as T
}
