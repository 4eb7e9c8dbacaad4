/** Static clients: the operator registers them. Their redirect URIs may be fixed https addresses. */
import * as z from 'zod'
import { readMessage } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import {
  featureMetadata,
  invalidMetadata,
  METADATA_ERRORS,
  type Registrable,
  type StaticMetadata,
  staticMetadata,
} from './client-metadata.ts'
import { addClient, type PublicClient, publicClient } from './client-record.ts'
import { redirectUriPolicyOf } from './redirect-uri-policy.ts'
import {
  checkExceptions,
  checkRedirectUris,
  type NamedStaticClient,
  namedIn,
  ownerAmong,
  refuseSnakeCase,
  type StaticClient,
  type StaticClientOptions,
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
  const policy = redirectUriPolicyOf(options)
  // Made at the first use: few processes add a client.
  let schema: z.ZodObject<ReturnType<typeof staticMetadata>> | undefined
  /** @throws OAuthError for a client without a secret */
  function expiryOf({ clientSecretExpiresIn, tokenEndpointAuthMethod }: StaticMetadata): number | undefined {
    if (clientSecretExpiresIn === undefined) return undefined
    if (registrable.secretMethods?.includes(tokenEndpointAuthMethod))
      return kernel.now() + clientSecretExpiresIn
    throw invalidMetadata('clientSecretExpiresIn: this client has no secret')
  }
  return {
    /** @throws OAuthError that names the invalid member */
    async add(added: StaticClient | NamedStaticClient): Promise<AddedClient> {
      refuseSnakeCase(added)
      const { registration, knownClient: named } = namedIn(options, added)
      schema ??= z.object(staticMetadata(registrable))
      const metadata = readMessage(schema, registration, () => METADATA_ERRORS.client_metadata_invalid)
      checkRedirectUris(metadata, policy)
      const knownClient = named ?? ownerAmong(metadata.redirectUris, policy)
      checkExceptions(metadata, knownClient)
      const terms = {
        origin: 'integration',
        knownClient,
        redirectUris: metadata.redirectUris,
        featureMetadata: featureMetadata(metadata, registrable),
        clientSecretExpiresAt: expiryOf(metadata),
        expiresAt: kernel.now() + LIFETIME,
      } as const
      const whole = { ...metadata, scope: metadata.scopes?.join(' ') }
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
