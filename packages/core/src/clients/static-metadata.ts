/** Metadata of static clients: its schema, and the rules that concern several members. */
import * as z from 'zod'
import { listOf, text } from '../http/message.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { clientMetadata, grantTypesOf, METADATA_ERRORS, type Registrable } from './client-metadata.ts'
import { isRegistrableByOperator } from './redirect-uri.ts'
import { isAcceptedBy, type RedirectUriPolicy } from './redirect-uri-policy.ts'
import { REDIRECT_URI_ERRORS } from './redirect-uri-refusal.ts'
import { refuseResponseParameters } from './response-parameters.ts'
import { MAX_EXPIRES_IN } from './secret-rotation.ts'

const limit = z.int().min(1).max(1_000_000)

/** The members that no other client has, and those that are read otherwise. The same on every server. */
const MEMBERS = {
  redirect_uris: z.array(z.string()).max(20),
  scope: z.never('use scopes, which is a list').optional(),
  scopes: listOf(text(), 500).optional(),
  resource_server: z.boolean().default(false),
  remember_consent: z.boolean().default(false),
  pkce_optional: z.boolean().default(false),
  nonce_optional: z.boolean().default(false),
  tokens_per_minute: limit.optional(),
  grants_per_hour: limit.optional(),
  client_secret_expires_in: z.int().min(1).max(MAX_EXPIRES_IN).optional(),
}

/** By the names of RFC 7591, as all client metadata in core. */
export function staticMetadata(registrable: Registrable) {
  const { authMethods } = registrable
  const { client_name, ...registered } = clientMetadata(registrable).shape
  return {
    ...registered,
    ...MEMBERS,
    client_name: client_name.unwrap(),
    token_endpoint_auth_method: z
      .enum(authMethods)
      .default(authMethods.find((name) => name !== 'none') ?? 'none'),
    grant_types: grantTypesOf(registrable),
  }
}
export type StaticMetadata = z.output<z.ZodObject<ReturnType<typeof staticMetadata>>>

/** Most members are optional: a misspelled one would silently have no effect. */
export function refuseSnakeCase(registration: object): void {
  const name = Object.keys(registration).find((key) => key.includes('_'))
  if (name !== undefined)
    throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, `${name}: members are in camelCase`)
}

interface Redirects {
  readonly redirect_uris: readonly string[]
  readonly resource_server: boolean
  readonly grant_types: readonly string[]
}

export function checkRedirectUris(
  { redirect_uris, resource_server, grant_types }: Redirects,
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

export function checkPkce({
  pkce_optional,
  nonce_optional,
  token_endpoint_auth_method,
}: Pick<StaticMetadata, 'pkce_optional' | 'nonce_optional' | 'token_endpoint_auth_method'>): void {
  if (nonce_optional && !pkce_optional)
    throw new OAuthError(
      METADATA_ERRORS.client_metadata_invalid,
      'nonceOptional: only together with pkceOptional',
    )
  if (pkce_optional && token_endpoint_auth_method === 'none')
    throw new OAuthError(
      METADATA_ERRORS.client_metadata_invalid,
      'pkceOptional: PKCE is the only protection of the code of a public client; only a confidential client may omit it',
    )
}
