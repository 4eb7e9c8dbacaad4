/**
 * The token endpoint (RFC 6749 3.2): it exchanges a form for tokens. Each grant type has a file or a folder of its own.
 * This file holds what they share.
 */

import * as z from 'zod'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/http.ts'
import { readMessage, text } from '../http/message.ts'
import { endpointPath, type PathOptions } from '../http/well-known.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import type { SignInAttempts } from '../kernel/sign-in-attempts.ts'
import type { Limiter } from '../limits/rate-limits.ts'
import { grantIdOf } from '../tokens/credential.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import { attemptOfCredential, prefetch } from './change-grant.ts'
import { countingTokens, hasLimits } from './client-limits.ts'
import {
  type AssertCanRespond,
  type Exchanged,
  type GrantType,
  type IssuedTerms,
  type PrepareResponse,
  requireWithinTerms,
  type TokenRequest,
} from './grant-type.ts'
import { type OperatorClaims, operatorClaims, type TokenClaimsOptions } from './operator-claims.ts'
import { asItIs, claimsOfRequest } from './response-claims.ts'
import { type TokenResponseContext, tokenResponse } from './token-response.ts'

export const GRANT_TYPE_ERRORS = defineErrors({
  grant_type_unsupported: ['unsupported_grant_type', 'Unsupported grant_type. See grant_types_supported'],
  grant_type_not_registered: [
    'unauthorized_client',
    'The client is not registered for this grant_type. Add it to grant_types of the registration',
  ],
})

const GrantTypeParameter = z.object({ grant_type: text() })

export interface TokenEndpointOptions extends PathOptions<'token'>, TokenClaimsOptions {
  /**
   * Whether answers name the resources of the access token (draft-mcguinness-oauth-resource-token-resp), so that a client
   * cannot take it for the token of another resource. Default: false.
   */
  readonly resourceInTokenResponse?: boolean | undefined
}

interface TokenEndpointContext extends TokenResponseContext {
  readonly grantTypes: readonly GrantType[]
  readonly terms: IssuedTerms
  readonly attempts: SignInAttempts | undefined
  readonly assertCanRespond: AssertCanRespond
  readonly claims: OperatorClaims | undefined
  readonly limiter: Limiter
}

/** A token request whose client is not known yet. */
interface Presented extends Pick<TokenRequest, 'form' | 'arrivedAt' | 'prefetched'> {
  /** Absent for a name that the server does not know. */
  readonly grantType: GrantType | undefined
}

/** The authenticated client, and its request. */
interface ClientRequest {
  readonly client: Client
  readonly http: HttpRequest
  readonly constraint: SenderConstraint | undefined
}

/** The query string is not read (RFC 6749 2.3.1). */
export function tokenEndpoint(
  kernel: Kernel,
  options: TokenEndpointOptions,
  offers: Omit<TokenEndpointContext, 'namedResources' | 'assertCanRespond' | 'attempts' | 'claims'>,
): { clientEndpoints: ClientEndpoint[] } {
  const { paths, resourceInTokenResponse = false } = options
  const context: TokenEndpointContext = {
    ...offers,
    attempts: kernel.attempts,
    claims: operatorClaims(kernel, options),
    namedResources: resourceInTokenResponse ? kernel.resources : undefined,
    assertCanRespond(client, grant) {
      for (const members of offers.tokenMembers) members.precheck(client, grant)
    },
  }
  // It is watched from now on, not from the first request on.
  kernel.standstill()
  const { accessTokens } = context
  const named = {
    read: (text: string) => accessTokens.read(text),
    // A subject token may be signed.
    grantIdOf: (text: string) => grantIdOf(text) ?? accessTokens.grantIdOf(text),
  }
  const byName = new Map(context.grantTypes.map((grantType) => [grantType.name, grantType]))
  const token: ClientEndpoint = {
    path: endpointPath('token', paths?.token, '/api/oauth/token'),
    metadataName: 'token_endpoint',
    listsAuthMethods: true,
    summary: 'Exchange a grant for tokens (RFC 6749 3.2)',
    async attemptOf(form, clientId) {
      const grantType = byName.get(String(form.grant_type))
      const credential = form[grantType?.credential ?? '']
      const attempt = await attemptOfCredential(kernel.store, credential, clientId, {
        ...named,
        ...grantType,
      })
      return { expects: grantType?.step, ...attempt }
    },
    clientOf: (form) => byName.get(String(form.grant_type))?.clientOf?.(form),
    begin(form) {
      // Before anything is awaited. While the process stood still, the request may have waited unread.
      const arrivedAt = kernel.now() - kernel.standstill()
      const { grant_type } = readMessage(GrantTypeParameter, form)
      const grantType = byName.get(grant_type)
      const { credential } = grantType ?? {}
      const prefetched =
        credential === undefined ? undefined : prefetch(kernel.store, form[credential], grantType)
      const presented = { form, arrivedAt, grantType, prefetched }
      return (client, http, constraint) => answerToken(context, presented, { client, http, constraint })
    },
  }
  return { clientEndpoints: [token] }
}

async function answerToken(
  context: TokenEndpointContext,
  { form, arrivedAt, grantType, prefetched }: Presented,
  { client, http, constraint }: ClientRequest,
): Promise<HttpResponse> {
  const { grantTypes, assertCanRespond, terms, attempts } = context
  if (grantType === undefined) throw unsupported(grantTypes)
  if (!client.grantTypes.includes(grantType.name))
    throw new OAuthError(GRANT_TYPE_ERRORS.grant_type_not_registered)
  // Before the exchange: a request that must come again with a nonce has spent nothing (RFC 9449 8).
  const key = constraint?.provenKey(http, client)
  const jkt = key?.thumbprint
  for (const members of context.tokenMembers) {
    const waiting = prefetched && members.ready?.(client, prefetched)
    if (waiting !== undefined) await waiting
  }
  const claims = context.claims && claimsOfRequest(context.claims, context.accessTokens, client)
  const prepare = claims?.prepareResponse ?? asItIs
  const isOfFeature = terms.grantTypes.includes(grantType)
  const prepared = isOfFeature
    ? checking((issued) => requireWithinTerms(grantType, client, issued, terms), prepare)
    : prepare
  const refreshes = grantType.name === 'refresh_token'
  const prepareResponse = hasLimits(client)
    ? countingTokens(context.limiter, { client, refreshes, prepareResponse: prepared })
    : prepared
  const request = { client, form, arrivedAt, prefetched, assertCanRespond, prepareResponse, jkt, http }
  const exchanged = await grantType.exchange(request)
  // A feature may prepare no response.
  if (isOfFeature) requireWithinTerms(grantType, client, exchanged, terms)
  const answered = { client, exchanged, claims: claims && (await claims.of(exchanged)) }
  const response = tokenResponse(answered, context)
  const answer = json(200, response instanceof Promise ? await response : response, key?.headers)
  const { step } = grantType
  if (step !== undefined) attempts?.used(exchanged.grant, step, http, exchanged.issued)
  return answer
}

/** Checks the terms of the server before anything is written. */
function checking(
  requireTerms: (issued: Pick<Exchanged, 'grant' | 'issued'>) => void,
  prepareResponse: PrepareResponse,
): PrepareResponse {
  return (outcome, issuedTokenType) => {
    if (outcome.kind !== 'ended') requireTerms({ grant: outcome.grant, issued: outcome.result })
    return prepareResponse(outcome, issuedTokenType)
  }
}

function unsupported(grantTypes: readonly GrantType[]): OAuthError {
  const names = grantTypes.map(({ name }) => name).join(' or ')
  return new OAuthError(GRANT_TYPE_ERRORS.grant_type_unsupported, `grant_type must be ${names}`)
}
