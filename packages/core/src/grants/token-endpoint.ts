/**
 * The token endpoint (RFC 6749 3.2): a form comes in and tokens go out. Each grant type has its own folder. This file
 * holds what they share.
 */

import { z } from 'zod'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/http.ts'
import { readMessage, text } from '../http/message.ts'
import type { Parameters } from '../http/parameters.ts'
import { endpointPath, type PathOptions } from '../http/well-known.ts'
import type { Kernel, KernelStore } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import type { AccessTokenFormat } from '../tokens/access-token.ts'
import { formatRefreshToken } from '../tokens/credential.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import { tokenType } from '../tokens/proof-of-possession.ts'
import { type PrefetchedGrant, prefetch } from './change-grant.ts'
import type { IssuedTokens } from './grant.ts'
import {
  type AssertCanRespond,
  type Exchanged,
  type GrantType,
  type IssuedTerms,
  requireWithinTerms,
  type TokenRequest,
} from './grant-type.ts'

export const GRANT_TYPE_ERRORS = defineErrors({
  grant_type_unsupported: ['unsupported_grant_type', 'The server does not support this grant_type'],
  grant_type_not_registered: ['unauthorized_client', 'The client is not registered for this grant_type'],
})

const GrantTypeParameter = z.object({ grant_type: text() })

export interface TokenEndpointOptions extends PathOptions<'token'> {
  /**
   * Whether answers name the resources that the access token is good for (draft-mcguinness-oauth-resource-token-resp), so
   * that a client cannot take it for another one's. Default: false.
   */
  readonly resourceInTokenResponse?: boolean | undefined
}

interface TokenEndpointContext extends TokenResponseContext {
  readonly grantTypes: readonly GrantType[]
  /** For the grant types of features. */
  readonly terms: IssuedTerms
  readonly assertCanRespond: AssertCanRespond
}

/** A token request whose client is not known yet. */
interface Presented extends Pick<TokenRequest, 'form' | 'arrivedAt' | 'prefetched'> {
  /** Absent for a name that the server does not know. */
  readonly grantType: GrantType | undefined
}

/** The query string is not read (RFC 6749 2.3.1). */
export function tokenEndpoint(
  kernel: Kernel,
  { paths, resourceInTokenResponse = false }: TokenEndpointOptions,
  offers: Omit<TokenEndpointContext, 'namedResources' | 'assertCanRespond'>,
): { clientEndpoints: ClientEndpoint[] } {
  const context: TokenEndpointContext = {
    ...offers,
    namedResources: resourceInTokenResponse ? kernel.resources : undefined,
    assertCanRespond(client, grant) {
      for (const members of offers.tokenMembers) members.precheck(client, grant)
    },
  }
  const byName = new Map(context.grantTypes.map((grantType) => [grantType.name, grantType]))
  const token: ClientEndpoint = {
    path: endpointPath('token', paths?.token, '/api/oauth/token'),
    metadataName: 'token_endpoint',
    listsAuthMethods: true,
    summary: 'Exchange a grant for tokens (RFC 6749 3.2)',
    clientOf: (form) => byName.get(String(form.grant_type))?.clientOf?.(form),
    begin(form) {
      // Before anything is awaited.
      const arrivedAt = kernel.now()
      const { grant_type } = readMessage(GrantTypeParameter, form)
      const grantType = byName.get(grant_type)
      const prefetched = grantType && prefetchedOf(kernel.store, grantType, form)
      const presented = { form, arrivedAt, grantType, prefetched }
      return (client, request, constraint) => answerToken(context, presented, client, request, constraint)
    },
  }
  return { clientEndpoints: [token] }
}

/** Starts to read all that the credential names: it shares one round trip to the store with the client. */
function prefetchedOf(
  { grants, transients }: KernelStore,
  grantType: GrantType,
  form: Parameters,
): PrefetchedGrant | undefined {
  const { credential } = grantType
  const presented = credential === undefined ? undefined : form[credential]
  const prefetched = prefetch(grants, presented)
  const id = typeof presented === 'string' ? grantType.transientOf?.(presented) : undefined
  const transient = id === undefined ? undefined : transients?.find(id)
  // Whoever awaits it gets the error.
  transient?.catch(() => {})
  return prefetched && { ...prefetched, transient }
}

async function answerToken(
  context: TokenEndpointContext,
  { form, arrivedAt, grantType, prefetched }: Presented,
  client: Client,
  http: HttpRequest,
  constraint: SenderConstraint | undefined,
): Promise<HttpResponse> {
  if (grantType === undefined) throw unsupported(context.grantTypes)
  if (!client.grantTypes.includes(grantType.name))
    throw new OAuthError(GRANT_TYPE_ERRORS.grant_type_not_registered)
  // Before the exchange: a request that must come again with a nonce has spent nothing (RFC 9449 8).
  const key = constraint?.provenKey(http, client)
  for (const members of context.tokenMembers) {
    const waiting = prefetched && members.ready?.(client, prefetched)
    if (waiting !== undefined) await waiting
  }
  const { assertCanRespond } = context
  const jkt = key?.thumbprint
  const exchanged = await grantType.exchange(client, {
    form,
    arrivedAt,
    prefetched,
    assertCanRespond,
    jkt,
    http,
  })
  requireWithinTerms(grantType, client, exchanged, context.terms)
  const response = tokenResponse(client, exchanged, context)
  return json(200, response instanceof Promise ? await response : response, key?.headers)
}

function unsupported(grantTypes: readonly GrantType[]): OAuthError {
  const names = grantTypes.map(({ name }) => name).join(' or ')
  return new OAuthError(GRANT_TYPE_ERRORS.grant_type_unsupported, `grant_type must be ${names}`)
}

/** RFC 6749 5.1. A room may add members of its own, such as `id_token`. */
export interface TokenResponse {
  readonly access_token: string
  /** RFC 8693 2.2.1. */
  readonly issued_token_type?: string | undefined
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string | undefined
  /** What the access token is good for, if the server says so (draft-mcguinness-oauth-resource-token-resp). */
  readonly resource?: string | readonly string[] | undefined
}

/** Extra members of the token response, from a room. */
export interface TokenMembers {
  /**
   * Waits, before anything is consumed, for what the members need of others. Grant types without a `credential` go without.
   *
   * @returns `undefined` when there is nothing to wait for
   * @throws OAuthError `temporarily_unavailable`
   */
  ready?(client: Client, prefetched: PrefetchedGrant): Promise<void> | undefined
  /** Checks, before anything is consumed, that the members can be made. @throws OAuthError `temporarily_unavailable` */
  precheck(client: Client, grant: Grant): void
  /** @returns `undefined` when there is nothing to add */
  membersOf(client: Client, exchanged: Exchanged, response: TokenResponse): Promise<object> | undefined
}

interface TokenResponseContext {
  readonly accessTokens: AccessTokenFormat
  readonly tokenMembers: readonly TokenMembers[]
  /** What an access token is good for that is bound to nothing; absent if answers do not name resources. */
  readonly namedResources?: readonly string[] | undefined
}

/** The answer to an exchange, with the members from all rooms. Returns a promise only if one of them needs time. */
function tokenResponse(
  client: Client,
  exchanged: Exchanged,
  context: TokenResponseContext,
): TokenResponse | Promise<TokenResponse> {
  const { grant, issued } = exchanged
  const written = context.accessTokens.write({ grantId: grant.id, secret: issued.accessToken }, grant)
  if (typeof written !== 'string') return withPendingAccessToken(client, exchanged, written, context)
  return withMembers(client, exchanged, responseOf(written, exchanged, context), context)
}

async function withPendingAccessToken(
  client: Client,
  exchanged: Exchanged,
  accessToken: Promise<string>,
  context: TokenResponseContext,
): Promise<TokenResponse> {
  return withMembers(client, exchanged, responseOf(await accessToken, exchanged, context), context)
}

function responseOf(
  accessToken: string,
  { grant, issued, issuedTokenType }: Exchanged,
  { namedResources }: TokenResponseContext,
): TokenResponse {
  const { refreshToken, scopes, expiresIn, jkt } = issued
  return {
    access_token: accessToken,
    issued_token_type: issuedTokenType,
    token_type: tokenType(jkt),
    expires_in: expiresIn,
    scope: scopes.join(' '),
    refresh_token: refreshToken && formatRefreshToken({ grantId: grant.id, ...refreshToken }),
    resource: namedResources && resourceOf(issued, namedResources),
  }
}

function resourceOf(
  { resources: bound }: IssuedTokens,
  all: readonly string[],
): string | readonly string[] | undefined {
  const resources = bound.length === 0 ? all : bound
  return resources.length === 1 ? resources[0] : resources
}

function withMembers(
  client: Client,
  exchanged: Exchanged,
  response: TokenResponse,
  { tokenMembers }: TokenResponseContext,
): TokenResponse | Promise<TokenResponse> {
  if (exchanged.issuedTokenType !== undefined) return response
  let added: readonly Promise<object>[] | undefined
  for (const members of tokenMembers) {
    const more = members.membersOf(client, exchanged, response)
    if (more !== undefined) added = [...(added ?? []), more]
  }
  return added === undefined ? response : joined(response, added)
}

/** No feature replaces a member of core, or of a feature before it. */
async function joined(response: TokenResponse, added: readonly Promise<object>[]): Promise<TokenResponse> {
  return Object.assign(response, ...(await Promise.all(added)).reverse(), { ...response })
}
