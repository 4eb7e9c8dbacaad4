import * as z from 'zod'
import { readMessage } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { camelCased, snakeCase, snakeCased } from '../kernel/member-names.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import {
  CLIENT_CHANGE_ERRORS,
  canonicalJson,
  clientRevision,
  replaceClient,
  storedClient,
} from './client-changes.ts'
import { METADATA_ERRORS, type Registrable } from './client-metadata.ts'
import { type PublicClient, publicClient, scopesOf, withoutUndefined } from './client-record.ts'
import { checkKnown, knownAfterChange, type StaticClientOptions } from './known-static-clients.ts'
import { applicationTypeOf } from './redirect-uri.ts'
import { type RedirectUriPolicy, redirectUriPolicyOf } from './redirect-uri-policy.ts'
import { withoutSecrets } from './secret-rotation.ts'
import type { ClientChanges } from './static-client.ts'
import { checkPkce, checkRedirectUris, staticMetadata } from './static-metadata.ts'

/** The operator changed the metadata of a static client. */
export interface ClientChanged {
  readonly type: 'client_changed'
  readonly clientId: string
  /** The names of the members that changed. */
  readonly members: readonly string[]
  /** What the URIs and scopes among them were; `null` for none. Absent if none of them changed. */
  readonly before?: Readonly<Record<string, unknown>> | undefined
  /** What they are now. */
  readonly after?: Readonly<Record<string, unknown>> | undefined
}

/** The members that decide who gets a code, and what for: an operator must be able to undo a change of them. */
const TOLD = [
  ...['redirectUris', 'postLogoutRedirectUris', 'scopes'],
  ...['clientCredentialsScopes', 'tokenExchangeResources', 'jwksUri'],
]

export interface ClientUpdateOptions {
  /** The client as `clients.find` returned it. If it has changed since, the update fails. */
  readonly seen: PublicClient
}

export type UpdateClient = (
  clientId: string,
  changes: ClientChanges,
  options: ClientUpdateOptions,
) => Promise<PublicClient>

type Members = Readonly<Record<string, unknown>>

/** Changes static clients: what `clients.add` refuses is refused here too. */
export function clientUpdates(
  kernel: Kernel,
  registrable: Registrable,
  options: StaticClientOptions,
): UpdateClient {
  // Made at the first use: few processes change a client.
  let shape: Readonly<Record<string, z.ZodType>> | undefined
  const check = checkOf(registrable, options)
  return async (clientId, changes, { seen }) => {
    const stored = await storedClient(kernel, clientId)
    const before = publicClient(stored.value)
    if (before.origin !== 'integration') throw invalid('Only a client of the operator can be changed')
    if (clientRevision(before) !== clientRevision(seen))
      throw new OAuthError(CLIENT_CHANGE_ERRORS.client_changed_meanwhile)
    shape ??= camelCased<z.ZodType>(staticMetadata(registrable))
    const values = valuesOf(changes, shape)
    const next = check(changedClient(kernel, stored.value, values, registrable), stored.value)
    const after = publicClient(next)
    const members = Object.keys(values).filter((name) => differs(before, after, name))
    if (members.length === 0) return before
    await replaceClient(kernel, stored, next)
    const told = members.filter((name) => TOLD.includes(name))
    const changed = told.length > 0 && { before: valuesIn(before, told), after: valuesIn(after, told) }
    kernel.emit({ type: 'client_changed', clientId, members, ...changed } satisfies ClientChanged)
    return after
  }
}

function invalid(fault: string): OAuthError {
  return new OAuthError(METADATA_ERRORS.client_metadata_invalid, fault)
}

function valuesIn(client: PublicClient, names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, (client as object as Members)[name] ?? null]))
}

function differs(before: PublicClient, after: PublicClient, name: string): boolean {
  const [was, is] = [before, after].map((client) =>
    canonicalJson((client as object as Members)[name] ?? null),
  )
  return was !== is
}

/** Members of the schema that a static client has only at its registration, or not at all. */
const FIXED = ['scope', 'responseTypes', 'clientSecretExpiresIn']

/**
 * The new values by name: of `null`, the default of `clients.add`. Members that do not change are not read: another
 * release may have stored what this server would not register. @throws OAuthError
 */
function valuesOf(changes: Members, shape: Readonly<Record<string, z.ZodType>>): Members {
  const names = Object.keys(changes).filter((name) => changes[name] !== undefined)
  const fixed = names.find((name) => !Object.hasOwn(shape, name) || FIXED.includes(name))
  if (fixed !== undefined) throw invalid(`${fixed}: no member that can be changed`)
  const schema = z.object(Object.fromEntries(names.map((name) => [name, shape[name] ?? z.never()])))
  const given = membersWhere(changes, (name) => changes[name] !== null)
  const read: Members = readMessage(schema, given, () => METADATA_ERRORS.client_metadata_invalid)
  return Object.fromEntries(names.map((name) => [name, read[name]]))
}

function membersWhere(values: Members, holds: (name: string) => boolean): Members {
  return Object.fromEntries(Object.entries(values).filter(([name]) => holds(name)))
}

/** The record with other values. What a feature reads has a place of its own. */
function changedClient(
  kernel: Kernel,
  client: Client,
  values: Members,
  { members = {} }: Registrable,
): Client {
  const ofFeature = (name: string) => Object.hasOwn(members, snakeCase(name))
  const ofFeatures = snakeCased(membersWhere(values, ofFeature))
  const featureMetadata = withoutUndefined({ ...client.featureMetadata, ...ofFeatures })
  const changed: Client = {
    ...client,
    ...membersWhere(values, (name) => !ofFeature(name)),
    featureMetadata: Object.keys(featureMetadata).length === 0 ? undefined : featureMetadata,
  }
  const scopes = Array.isArray(values.scopes)
    ? scopesOf(Object.keys(kernel.scopes), values.scopes.join(' '))
    : changed.scopes
  const applicationType = changed.applicationType ?? applicationTypeOf(changed.redirectUris)
  return {
    ...{ ...changed, scopes, applicationType },
    pkceOptional: changed.pkceOptional || undefined,
    nonceOptional: changed.nonceOptional || undefined,
  }
}

/** The rules of `clients.add` for the whole client. */
function checkOf({ secretMethods = [], checkClient }: Registrable, options: StaticClientOptions) {
  const policy = redirectUriPolicyOf(options)
  return (changed: Client, before: Client): Client => {
    const client = withMethod(changed, before, secretMethods)
    const { rememberConsent: remember_consent = false, pkceOptional: pkce_optional = false } = client
    const { nonceOptional: nonce_optional = false, tokenEndpointAuthMethod } = client
    const redirects = ['redirectUris', 'grantTypes', 'resourceServer'] as const
    if (redirects.some((name) => client[name] !== before[name])) checkRedirects(client, policy)
    checkPkce({ pkce_optional, nonce_optional, token_endpoint_auth_method: tokenEndpointAuthMethod })
    const isMoved = client.redirectUris !== before.redirectUris
    const knownClient = isMoved ? knownAfterChange(options, client, policy) : before.knownClient
    if (knownClient !== undefined) checkKnown({ remember_consent, pkce_optional })
    const next = withoutUndefined({ ...client, knownClient })
    checkClient?.(next)
    return next
  }
}

function checkRedirects(
  { redirectUris: redirect_uris, resourceServer: resource_server = false, grantTypes: grant_types }: Client,
  policy: RedirectUriPolicy,
): void {
  checkRedirectUris({ redirect_uris, resource_server, grant_types }, policy)
}

/** A confidential client may go from secrets to keys: its secrets end. @throws OAuthError */
function withMethod(client: Client, before: Client, secretMethods: readonly string[]): Client {
  const [method, from] = [client.tokenEndpointAuthMethod, before.tokenEndpointAuthMethod]
  if (method === from) return client
  if (method === 'none' || from === 'none')
    throw invalid('tokenEndpointAuthMethod: a client stays public or confidential. Add another client')
  if (!secretMethods.includes(method)) return withoutSecrets(client)
  if (client.secretHash === undefined)
    throw invalid('tokenEndpointAuthMethod: a client with keys gets no secret. Add another client')
  return client
}
