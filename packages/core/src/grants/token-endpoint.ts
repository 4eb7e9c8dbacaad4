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
import type { Client } from '../kernel/records.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import { type PrefetchedGrant, prefetch } from './change-grant.ts'
import type { AssertCanRespond, GrantType, TokenRequest } from './grant-type.ts'
import { type IssuedTerms, requireWithinTerms } from './issued-terms.ts'
import { type TokenResponseContext, tokenResponse } from './token-response.ts'

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
