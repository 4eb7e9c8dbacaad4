/** Static clients: the operator registers them. Their redirect URIs may be fixed https addresses. */
import * as z from 'zod'
import { readMessage } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { camelCased, snakeCased } from '../kernel/member-names.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { featureMetadata, METADATA_ERRORS, type Registrable } from './client-metadata.ts'
import { addClient, type PublicClient, publicClient } from './client-record.ts'
import { checkKnown, knownAmong, namedIn, type StaticClientOptions } from './known-static-clients.ts'
import { redirectUriPolicyOf } from './redirect-uri-policy.ts'
import type { KnownStaticClient, StaticClient } from './static-client.ts'
import {
  checkPkce,
  checkRedirectUris,
  refuseSnakeCase,
  type StaticMetadata,
  staticMetadata,
} from './static-metadata.ts'

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
    async add(added: StaticClient | KnownStaticClient): Promise<AddedClient> {
      refuseSnakeCase(added)
      const { registration, knownClient } = namedIn(options, added)
      schema ??= z.object(camelCased<z.ZodType>(staticMetadata(registrable)))
      const read = readMessage(schema, registration, () => METADATA_ERRORS.client_metadata_invalid)
      const { scopes, ...metadata } = snakeCased(read) as StaticMetadata
      checkRedirectUris(metadata, redirectUriPolicy)
      checkPkce(metadata)
      const known = knownClient ?? knownAmong(metadata.redirect_uris, redirectUriPolicy)
      if (known !== undefined) checkKnown(metadata)
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
