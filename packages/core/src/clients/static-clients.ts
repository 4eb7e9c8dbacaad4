/** Static clients: the operator registers them. Their redirect URIs may be fixed https addresses. */
import * as z from 'zod'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client, ClientSettings, SigningAlgorithm } from '../kernel/records.ts'
import {
  featureMetadata,
  invalidMember,
  invalidMetadata,
  type Registrable,
  readMembers,
  type StaticMetadata,
  staticMetadata,
} from './client-metadata.ts'
import { addClient, type FeatureClientMetadata, type PublicClient, publicClient } from './client-record.ts'
import {
  accepts,
  isRegistrableByOperator,
  ownerOf,
  REDIRECT_URI_ERRORS,
  type RedirectUriOptions,
  type RedirectUriPolicy,
  redirectUriPolicyOf,
  refuseResponseParameters,
} from './redirect-uri.ts'

/** The metadata of a static client (RFC 7591 2), in camelCase: a client that the operator registers. */
export interface StaticClient extends ClientSettings, FeatureClientMetadata {
  readonly clientName: string
  /** https, loopback or private-use URIs, or whatever `redirectUriPolicy` accepts. Empty for a client without a browser. */
  readonly redirectUris: readonly string[]
  readonly applicationType?: 'native' | 'web' | undefined
  /** Default: the first method of the server with a secret; `none` makes the client public. */
  readonly tokenEndpointAuthMethod?: string | undefined
  /** Default: `authorization_code` and `refresh_token`. */
  readonly grantTypes?: readonly string[] | undefined
  /** The scopes that it may request. Default: every scope of the catalogue that is not `restricted`. */
  readonly scopes?: readonly string[] | undefined
  readonly idTokenSignedResponseAlg?: SigningAlgorithm | undefined
  /** Seconds after which its secret ends, at most 10 years. Default: without end. `clients.rotateSecret` gives it another one. */
  readonly clientSecretExpiresIn?: number | undefined
}

/**
 * Changes of a static client. `null` is as if `clients.add` had not had the member. A client stays public or confidential.
 */
export type ClientChanges = {
  readonly [Member in keyof Omit<StaticClient, 'clientSecretExpiresIn'>]?:
    | StaticClient[Member]
    | null
    | undefined
}

/** A static client with the name and redirect URIs of an entry. Further redirect URIs may be added. */
export interface NamedStaticClient
  extends Omit<
      StaticClient,
      'clientName' | 'redirectUris' | 'rememberConsent' | 'pkceOptional' | 'nonceOptional'
    >,
    Partial<Pick<StaticClient, 'clientName' | 'redirectUris'>> {
  /** The id of an entry of the option `knownClients`. */
  readonly known: string
}

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
  const policy = redirectUriPolicyOf(options)
  // Made at the first use: few processes add a client.
  let schema: z.ZodObject<ReturnType<typeof staticMetadata>> | undefined
  /** @throws OAuthError for a client without a secret */
  function expiryOf({ clientSecretExpiresIn, tokenEndpointAuthMethod }: StaticMetadata): number | undefined {
    if (clientSecretExpiresIn === undefined) return undefined
    if (registrable.secretMethods?.includes(tokenEndpointAuthMethod))
      return kernel.now() + clientSecretExpiresIn
    throw invalidMember('clientSecretExpiresIn', ': this client has no secret')
  }
  return {
    /** @throws OAuthError that names the invalid member */
    async add(added: StaticClient | NamedStaticClient): Promise<AddedClient> {
      refuseSnakeCase(added)
      const { registration, knownClient: named } = namedIn(options, added)
      schema ??= z.object(staticMetadata(registrable))
      const metadata = readMembers(schema, registration)
      const { redirectUris } = metadata
      checkRedirectUris(metadata, policy)
      const knownClient = named ?? ownerAmong(redirectUris, policy)
      checkExceptions(metadata, knownClient)
      const terms = {
        origin: 'integration',
        knownClient,
        redirectUris,
        featureMetadata: featureMetadata(metadata, registrable),
        clientSecretExpiresAt: expiryOf(metadata),
        expiresAt: kernel.now() + LIFETIME,
      } as const
      const whole = { ...metadata, scope: metadata.scopes?.join(' ') }
      const { client, clientSecret } = await addClient(kernel, whole, terms, registrable)
      kernel.emit({ type: 'client_added', clientId: client.clientId } satisfies ClientAdded)
      return { ...publicClient(client), ...(clientSecret && { clientSecret }) }
    },

    async list(): Promise<PublicClient[]> {
      const found = new Map<string, Client>()
      for await (const client of kernel.store.clients.records.scan())
        if (client.origin === 'integration') found.set(client.clientId, client)
      return [...found.values()].sort((one, other) => one.createdAt - other.createdAt).map(publicClient)
    },
  }
}

/** Most members are optional: a misspelled one would silently have no effect. */
function refuseSnakeCase(registration: object): void {
  const name = Object.keys(registration).find((key) => key.includes('_'))
  if (name !== undefined) throw invalidMetadata(`${name}: members are in camelCase`)
}

export function checkRedirectUris(
  { redirectUris, resourceServer, grantTypes }: StaticMetadata | Client,
  policy: RedirectUriPolicy,
): void {
  const { redirect_uri_refused } = REDIRECT_URI_ERRORS
  const refused = redirectUris.find((uri) => !isRegistrableByOperator(uri) && !accepts(policy([uri]), uri))
  if (refused !== undefined)
    throw new OAuthError(
      redirect_uri_refused,
      `${refused}: must be https, loopback or of a private-use scheme such as com.example.app:/callback, without a fragment`,
    )
  refuseResponseParameters(redirectUris)
  const needed = grantTypes.includes('authorization_code') && resourceServer !== true
  if (redirectUris.length === 0 && needed)
    throw invalidMember('redirectUris', ' must not be empty', '', redirect_uri_refused)
}

/** Exceptions from PKCE, and from a consent each time. */
export function checkExceptions(
  { pkceOptional, nonceOptional, rememberConsent, tokenEndpointAuthMethod }: StaticMetadata | Client,
  owner: string | undefined,
): void {
  if (nonceOptional && !pkceOptional)
    throw invalidMember('nonceOptional', ': only together with ', 'pkceOptional')
  if (pkceOptional && tokenEndpointAuthMethod === 'none')
    throw invalidMember(
      'pkceOptional',
      ': PKCE is the only protection of the code of a public client; only a confidential client may omit it',
    )
  // Consent of one user does not apply to another.
  const exception = rememberConsent ? 'rememberConsent' : pkceOptional ? 'pkceOptional' : undefined
  if (owner !== undefined && exception !== undefined)
    throw invalidMember(
      exception,
      ': not with a redirect URI of a known client, which all users of its vendor share',
    )
}

interface NamedClient {
  readonly id: string
  readonly name: string
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
  if (entry === undefined) throw invalidMember('known', `: must be one of ${ids || 'none'}`)
  const uris = [...new Set([...entry.redirectUris, ...redirectUris])]
  return { registration: { clientName: entry.name, ...rest, redirectUris: uris }, knownClient: entry.id }
}

function ownerAmong(uris: readonly string[], policy: RedirectUriPolicy): string | undefined {
  return uris.map((uri) => ownerOf(policy([uri]))?.id).find((id) => id !== undefined)
}

/** The owner of the redirect URIs of a client, after a change of them. */
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
