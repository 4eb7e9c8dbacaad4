/** Static clients: the operator registers them. Their redirect URIs may be fixed https addresses. */
import * as z from 'zod'
import { readMessage } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { camelCased, snakeCased } from '../kernel/member-names.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { featureMetadata, METADATA_ERRORS, type Registrable } from './client-metadata.ts'
import { addClient, type PublicClient, publicClient } from './client-record.ts'
import {
  ownerOf,
  type RedirectUriOptions,
  type RedirectUriOwner,
  type RedirectUriPolicy,
  redirectUriPolicyOf,
} from './redirect-uri-policy.ts'
import {
  checkPkce,
  checkRedirectUris,
  type NamedStaticClient,
  refuseSnakeCase,
  type StaticClient,
  type StaticMetadata,
  staticMetadata,
} from './static-client.ts'

/** A new client with its secret, which is shown only once. */
export type AddedClient = PublicClient & { readonly clientSecret?: string | undefined }

/** The operator registered a static client. */
export interface ClientAdded {
  readonly type: 'client_added'
  readonly clientId: string
}

/** 100 years: a static client lives until the operator removes it. */
const LIFETIME = 100 * 365 * 24 * 60 * 60

export function staticClients(kernel: Kernel, registrable: Registrable, options: StaticClientOptions) {
  const redirectUriPolicy = redirectUriPolicyOf(options)
  // Made at the first use: few processes add a client.
  let schema: z.ZodObject<Record<string, z.ZodType>> | undefined
  /** @throws OAuthError for a client without a secret */
  function expiryOf({
    client_secret_expires_in: expiresIn,
    token_endpoint_auth_method,
  }: Pick<StaticMetadata, 'client_secret_expires_in' | 'token_endpoint_auth_method'>): number | undefined {
    if (expiresIn === undefined) return undefined
    if (registrable.secretMethods?.includes(token_endpoint_auth_method)) return kernel.now() + expiresIn
    const fault = 'clientSecretExpiresIn: this client has no secret'
    throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, fault)
  }
  return {
    /** @throws OAuthError that names the invalid member */
    async add(added: StaticClient | NamedStaticClient): Promise<AddedClient> {
      refuseSnakeCase(added)
      const { registration, knownClient } = namedIn(options, added)
      schema ??= z.object(camelCased<z.ZodType>(staticMetadata(registrable)))
      const read = readMessage(schema, registration, () => METADATA_ERRORS.client_metadata_invalid)
      const { scopes, ...metadata } = snakeCased(read) as StaticMetadata
      checkRedirectUris(metadata, redirectUriPolicy)
      checkPkce(metadata)
      const known = knownClient ?? ownerAmong(metadata.redirect_uris, redirectUriPolicy)
      if (known !== undefined) refuseExceptions(metadata)
      const terms = {
        origin: 'integration',
        knownClient: known,
        redirectUris: metadata.redirect_uris,
        resourceServer: metadata.resource_server,
        rememberConsent: metadata.remember_consent,
        featureMetadata: featureMetadata(metadata, registrable),
        tokensPerMinute: metadata.tokens_per_minute,
        grantsPerHour: metadata.grants_per_hour,
        pkceOptional: metadata.pkce_optional || undefined,
        nonceOptional: metadata.nonce_optional || undefined,
        clientSecretExpiresAt: expiryOf(metadata),
        expiresAt: kernel.now() + LIFETIME,
      } as const
      const whole = { ...metadata, scope: scopes?.join(' ') }
      const { client, clientSecret } = await addClient(kernel, whole, terms, registrable)
      kernel.emit({ type: 'client_added', clientId: client.clientId } satisfies ClientAdded)
      return { ...publicClient(client), ...(clientSecret === undefined ? {} : { clientSecret }) }
    },

    async list(): Promise<PublicClient[]> {
      const found = new Map<string, Client>()
      for await (const client of kernel.store.clients.records.scan())
        if (client.origin === 'integration') found.set(client.clientId, client)
      return [...found.values()].sort((one, other) => one.createdAt - other.createdAt).map(publicClient)
    },
  }
}

// Static clients by an entry that has their name and redirect URIs.

/** An entry, as far as `clients.add` reads it. */
type NamedClient = Pick<RedirectUriOwner, 'id' | 'name'> & {
  readonly redirectUris: readonly string[]
}

export interface StaticClientOptions extends RedirectUriOptions {
  /** What `clients.add({ known })` may name: redirect URIs and whose they are. `knownClients()` has a table. Default: none. */
  readonly knownClients?: readonly NamedClient[] | undefined
}

/** The registration with the members of the entry that it names. @throws OAuthError when no entry has the id */
export function namedIn(
  { knownClients = [] }: StaticClientOptions,
  added: StaticClient | NamedStaticClient,
): { readonly registration: object; readonly knownClient?: string } {
  if (!('known' in added) || added.known === undefined) return { registration: added }
  const { known, redirectUris = [], ...rest } = added
  const entry = knownClients.find(({ id }) => id === known)
  const ids = knownClients.map(({ id }) => id).join(', ')
  if (entry === undefined)
    throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, `known: must be one of ${ids || 'none'}`)
  const uris = [...new Set([...entry.redirectUris, ...redirectUris])]
  return { registration: { clientName: entry.name, ...rest, redirectUris: uris }, knownClient: entry.id }
}

/** To whom one of the URIs belongs. */
function ownerAmong(uris: readonly string[], policy: RedirectUriPolicy): string | undefined {
  return uris.map((uri) => ownerOf(policy([uri]))?.id).find((id) => id !== undefined)
}

/** To whom the redirect URIs of a client belong, after a change of them. */
export function ownerAfterChange(
  { knownClients = [] }: StaticClientOptions,
  { knownClient, redirectUris }: Pick<Client, 'knownClient' | 'redirectUris'>,
  policy: RedirectUriPolicy,
): string | undefined {
  const entry = knownClients.find(({ id }) => id === knownClient)
  // Without an entry nothing tells which of the redirect URIs it has.
  const stays = entry === undefined || entry.redirectUris.some((uri) => redirectUris.includes(uri))
  return (stays ? knownClient : undefined) ?? ownerAmong(redirectUris, policy)
}

/** All users of a vendor share the address, so consent of one user does not apply to another. */
export function refuseExceptions({
  remember_consent,
  pkce_optional,
}: {
  readonly remember_consent: boolean
  readonly pkce_optional: boolean
}): void {
  const member = remember_consent ? 'rememberConsent' : pkce_optional ? 'pkceOptional' : undefined
  if (member !== undefined)
    throw new OAuthError(
      METADATA_ERRORS.client_metadata_invalid,
      `${member}: not with a redirect URI of a known client, which all users of its vendor share`,
    )
}
