/** Static clients: the operator registers them. Their redirect URIs may be fixed https addresses. */
import * as z from 'zod'
import { listOf, readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import {
  clientMetadata,
  featureMetadata,
  grantTypesOf,
  METADATA_ERRORS,
  type Registrable,
} from './client-metadata.ts'
import { addClient, camelCased, type PublicClient, publicClient, snakeCased } from './client-record.ts'
import { checkKnown, knownAmong, namedIn, type StaticClientOptions } from './known-static-clients.ts'
import { isRegistrableByOperator } from './redirect-uri.ts'
import { isAcceptedBy, type RedirectUriPolicy, redirectUriPolicyOf } from './redirect-uri-policy.ts'
import { REDIRECT_URI_ERRORS } from './redirect-uri-refusal.ts'
import { refuseResponseParameters } from './response-parameters.ts'
import type { KnownStaticClient, StaticClient } from './static-client.ts'

/** A new client with its secret, which is shown only once. */
export type AddedClient = PublicClient & { readonly clientSecret?: string | undefined }

/** The operator registered a static client. */
export interface ClientAdded {
  readonly type: 'client_added'
  readonly clientId: string
}

/** By the names of RFC 7591, as all client metadata in core. */
function staticMetadata(registrable: Registrable) {
  const { authMethods } = registrable
  const { client_name, ...registered } = clientMetadata(registrable).shape
  return {
    ...registered,
    client_name: client_name.unwrap(),
    redirect_uris: z.array(z.string()).max(20),
    token_endpoint_auth_method: z
      .enum(authMethods)
      .default(authMethods.find((name) => name !== 'none') ?? 'none'),
    grant_types: grantTypesOf(registrable),
    scope: z.never('use scopes, which is a list').optional(),
    scopes: listOf(text(), 500).optional(),
    resource_server: z.boolean().default(false),
    remember_consent: z.boolean().default(false),
    pkce_optional: z.boolean().default(false),
  }
}
type StaticMetadata = z.output<z.ZodObject<ReturnType<typeof staticMetadata>>>

/** 100 years: a static client lives until the operator removes it. */
const LIFETIME = 100 * 365 * 24 * 60 * 60

export function staticClients(kernel: Kernel, registrable: Registrable, options: StaticClientOptions) {
  const redirectUriPolicy = redirectUriPolicyOf(options)
  const schema = z.object(camelCased(staticMetadata(registrable)))
  return {
    /** @throws OAuthError that names the invalid member */
    async add(added: StaticClient | KnownStaticClient): Promise<AddedClient> {
      refuseSnakeCase(added)
      const { registration, knownClient } = namedIn(options, added)
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
        pkceOptional: metadata.pkce_optional || undefined,
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

/** Most members are optional: a misspelled one would silently have no effect. */
function refuseSnakeCase(registration: object): void {
  const name = Object.keys(registration).find((key) => key.includes('_'))
  if (name !== undefined)
    throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, `${name}: members are in camelCase`)
}

function checkRedirectUris(
  { redirect_uris, resource_server, grant_types }: Omit<StaticMetadata, 'scopes'>,
  policy: RedirectUriPolicy,
): void {
  const { redirect_uri_refused } = REDIRECT_URI_ERRORS
  const refused = redirect_uris.find((uri) => !isRegistrableByOperator(uri) && !isAcceptedBy(policy, uri))
  if (refused !== undefined)
    throw new OAuthError(
      redirect_uri_refused,
      `${refused}: must be https, loopback or of a private-use scheme such as com.example.app:/callback, without a fragment`,
    )
  refuseResponseParameters(redirect_uris)
  const needed = grant_types.includes('authorization_code') && !resource_server
  if (redirect_uris.length === 0 && needed)
    throw new OAuthError(redirect_uri_refused, 'redirectUris must not be empty')
}

function checkPkce({ pkce_optional, token_endpoint_auth_method }: Omit<StaticMetadata, 'scopes'>): void {
  if (pkce_optional && token_endpoint_auth_method === 'none')
    throw new OAuthError(
      METADATA_ERRORS.client_metadata_invalid,
      'pkceOptional: PKCE is the only protection of the code of a public client; only a confidential client may omit it',
    )
}
