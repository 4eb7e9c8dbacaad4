/**
 * The guard with the store: it looks up the grant of a presented token. It reads one record, and writes none but the last use of a
 * personal access token.
 */

import { recordUse } from '../grants/change-grant.ts'
import {
  claimsOfTerms,
  findAccessToken,
  hasUnknownTerm,
  holderOf,
  type TermClaims,
  termsOfToken,
  workloadOf,
} from '../grants/grant.ts'
import type { WithTerms } from '../grants/request-terms.ts'
import { wellKnownAddress } from '../http/endpoint.ts'
import type { HttpRequest } from '../http/http.ts'
import {
  type CreateObserver,
  type Emit,
  type ObservedCall,
  observed,
  type RequestEvent,
  shielded,
} from '../kernel/events.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Grant } from '../kernel/records.ts'
import {
  audienceIncludes,
  canonicalResource,
  checkedResource,
  familyOf,
  type ResourceFamily,
  valueIn,
} from '../kernel/resource-indicator.ts'
import type { ScopeCatalogue } from '../kernel/scope.ts'
import { acceptedSecrets, type ServerSecret, strongRandom } from '../kernel/secrets.ts'
import { type GrantRecords, type Store, storeErrorsAs503, type Transients } from '../kernel/store.ts'
import { systemClock } from '../kernel/time.ts'
import { type AccessTokenFormat, opaqueAccessTokens } from '../tokens/credential.ts'
import type { ProofOfPossession } from '../tokens/proof-of-possession.ts'
import {
  type Access,
  type AccessToken,
  type Anonymous,
  type Authorized,
  accessAt,
  type Caller,
  type ClientCredentialsToken,
  type ResourceServer,
} from './access.ts'
import { BEARER_ERRORS } from './challenge.ts'
import { checkedClasses, type Deciding, decide, type RouteDemands, resourceServer } from './guard.ts'

/** Options of every guard, however it reads tokens. */
export interface GuardOptions<Scope extends string> {
  /** The resource indicator of this API (RFC 8707): the `aud` that tokens bound to it carry. */
  readonly resource: string
  /** The scope catalogue; it types the scopes of the routes. */
  readonly scopes: ScopeCatalogue<Scope>
  /** Lets requests without a token through as anonymous. Default: they get a 401. */
  readonly anonymous?: 'allow' | undefined
  /** The classes of `stepUp` at the authorization server, weakest first, for `requiring({ acr })`. Default: none. */
  readonly authenticationClasses?: readonly string[] | undefined
  /** The URL of the protected-resource metadata (RFC 9728 3). Default: its well-known address. */
  readonly metadataUrl?: string | undefined
  /** Takes access tokens that are bound to a key: `dpopProofs` (RFC 9449 7). Default: they are refused. */
  readonly proofs?: ProofsOfResource | undefined
  readonly onEvent?: ((event: RequestEvent) => void) | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
}

export interface ResourceServerOptions<Scope extends string> extends GuardOptions<Scope> {
  /** The store of the authorization server. */
  readonly store: Store
  /** The access token format of the authorization server. Default: opaque tokens. */
  readonly accessTokens?: AccessTokenFormat | undefined
  /** `requestTerms` of the authorization server. Tokens with a term that is not among them are refused. Default: none. */
  readonly requestTerms?: readonly TermClaims[] | undefined
  /** Watches the guard, such as `signInAttempts` of `@grantkit/explain`: errors then have a reference. Default: none. */
  readonly observer?: CreateObserver | undefined
  /** The secret of the authorization server, for the observer. */
  readonly secret?: ServerSecret | undefined
}

/** Makes the check of proofs at one API, when its guard is created. @throws Error that names the option at fault */
export type ProofsOfResource = (guarded: ProvenResource) => ProofOfPossession

/** The API whose requests carry proofs. */
export interface ProvenResource {
  readonly resource: string
  readonly transients?: Transients | undefined
  /** Epoch seconds. */
  readonly now: () => number
}

/**
 * Guards an API with the store of the authorization server.
 *
 * @throws Error for a bad option
 *
 * @example
 * ```ts with:server
 * import { createResourceServer } from '@grantkit/core'
 *
 * const notes = createResourceServer({ resource: 'https://api.example', store, scopes })
 * ```
 */
export function createResourceServer<Scope extends string>(
  options: ResourceServerOptions<Scope> & { readonly anonymous?: undefined },
): ResourceServer<Scope>
export function createResourceServer<Scope extends string>(
  options: ResourceServerOptions<Scope>,
): ResourceServer<Scope, Authorized | Anonymous>
export function createResourceServer<Scope extends string>(
  options: ResourceServerOptions<Scope>,
): ResourceServer<Scope, Authorized | Anonymous> {
  const { grants, transients } = storeErrorsAs503(options.store)
  const resource = checkedResource('resource', options.resource)
  const now = options.now ?? systemClock
  // A guard emits only events about requests.
  const listener = shielded(options.onEvent as Emit | undefined)
  const secret = options.secret === undefined ? undefined : acceptedSecrets(options.secret)[0]
  const guard: GuardedResource = {
    grants,
    resource,
    metadataUrl: options.metadataUrl ?? wellKnownAddress('oauth-protected-resource', options.resource),
    anonymous: options.anonymous ?? 'refuse',
    authenticationClasses: checkedClasses('authenticationClasses', options.authenticationClasses ?? []),
    accessTokens: options.accessTokens ?? opaqueAccessTokens,
    requestTerms: options.requestTerms,
    proofs: options.proofs?.({ resource, transients, now }),
    now,
    ...observed({ emit: listener, now, random: strongRandom }, options.observer, secret),
  }
  const family = familyOf(resource)
  if (family === undefined)
    return resourceServer(guard, (request, required, route) => accessOf(guard, request, required, route))
  return resourceServer(guard, async (request, required, route) => {
    const member = memberAt(family, request.path)
    if (member === undefined) return { kind: 'refused', response: NOT_FOUND }
    const metadataUrl = wellKnownAddress('oauth-protected-resource', member)
    const own = { ...guard, resource: member, metadataUrl, mustBeNamed: true }
    return accessAt(await accessOf(own, request, required, route), metadataUrl)
  })
}

const NOT_FOUND = { status: 404, headers: {}, body: '' }

/** The member of a family at the path of a request, or of one below it. */
function memberAt(family: ResourceFamily, path: string): string | undefined {
  const { pathname } = new URL(family.prefix)
  const [segment = '', ...below] = path.startsWith(pathname) ? path.slice(pathname.length).split('/') : []
  const isBare = below.length === 1 && below[0] === ''
  const member = family.prefix + segment
  return !isBare && valueIn(family, member) !== undefined ? member : undefined
}

export interface GuardedResource extends Deciding {
  readonly grants: GrantRecords
  /** Its identifier (RFC 8707), canonical. */
  readonly resource: string
  readonly accessTokens: AccessTokenFormat
  /** It is a member of a family: a token without resources is not valid there. */
  readonly mustBeNamed?: boolean | undefined
  /** Those that it knows. */
  readonly requestTerms?: readonly TermClaims[] | undefined
}

/** A guard of the authorization server itself, which requires a token. */
export function guardOf(
  { store, boundResources, now, emit, observer, requestTerms }: Kernel & WithTerms,
  indicator: string,
  accessTokens: AccessTokenFormat,
  proofs?: ProofOfPossession,
): GuardedResource {
  const resource = canonicalResource(indicator)
  const required = boundResources.includes(resource)
  return {
    grants: store.grants,
    resource,
    metadataUrl: wellKnownAddress('oauth-protected-resource', indicator),
    anonymous: 'refuse',
    accessTokens,
    requestTerms: requestTerms?.list,
    proofs: proofs && required ? requiredProofs(proofs) : proofs,
    now,
    emit,
    observer,
  }
}

function requiredProofs(proofs: ProofOfPossession): ProofOfPossession {
  const { algorithms, corsHeaders } = proofs
  return { algorithms, corsHeaders, required: true, present: (request) => proofs.present(request) }
}

/** The decision of a guard that looks tokens up. @param route default: a token that a user approved is needed, and enough */
export function accessOf(
  guard: GuardedResource,
  request: HttpRequest,
  required: readonly string[],
  route: RouteDemands = {},
): Promise<Access<Caller>> {
  const call: ObservedCall | undefined = guard.observer && { resource: guard.resource }
  const demands = { required, route, call }
  return decide(guard, request, demands, (text) => liveToken(guard, text, request, call))
}

async function liveToken(
  guard: GuardedResource,
  text: string,
  request: HttpRequest,
  call: ObservedCall | undefined,
): Promise<AccessToken | ClientCredentialsToken> {
  const read = guard.accessTokens.read(text)
  const presented = read instanceof Promise ? await read : read
  const stored = presented && (await guard.grants.find(presented.grantId))
  const now = guard.now()
  const state = stored && findAccessToken(stored.value, presented.hash, now)
  if (call !== undefined) {
    call.grant = stored?.value
    call.hash = presented?.hash
  }
  if (stored === undefined || state === undefined) throw new OAuthError(BEARER_ERRORS.bearer_unknown)
  const { terms } = stored.value
  if (terms !== undefined && hasUnknownTerm(guard.requestTerms, terms))
    throw new OAuthError(BEARER_ERRORS.bearer_unknown)
  const isNamed = state.resources.length > 0 || !guard.mustBeNamed
  if (!isNamed || !audienceIncludes(state.resources, guard.resource))
    throw new OAuthError(BEARER_ERRORS.bearer_wrong_audience, undefined, {
      facts: { expected: state.resources },
    })
  if (stored.value.origin === 'personal') recordUse(guard, stored, request.remoteAddress, now)
  const token = tokenOf(stored.value, state)
  return terms === undefined ? token : withTerms(guard, token, stored.value, state)
}

function withTerms<Token extends AccessToken | ClientCredentialsToken>(
  { requestTerms, resource }: GuardedResource,
  token: Token,
  grant: Grant,
  state: AccessTokenState,
): Token {
  const terms = termsOfToken(grant, state) ?? {}
  // This API hears what is for it, however many the token is for.
  const request = { use: 'access_token', resources: [resource] } as const
  return { ...token, terms, claims: claimsOfTerms(requestTerms, terms, request) }
}

/** Copies nothing for a plain token of a user, which nearly every request has. */
function tokenOf(grant: Grant, state: AccessTokenState): AccessToken | ClientCredentialsToken {
  const { id: grantId, origin, subject, authTime, acr } = grant
  const { scopes, resources, issuedAt, expiresAt, actor, jkt } = state
  const clientId = holderOf(grant, state)
  const extent = { grantId, subject, clientId, scopes, resources, issuedAt, expiresAt, authTime, acr }
  const isPlain = actor === undefined && jkt === undefined
  const more = isPlain ? undefined : { ...(jkt && { jkt }), ...(actor && { act: actor }) }
  if (origin === 'machine') {
    const workload = workloadOf(grant)
    return { ...extent, ...more, ...(workload && { workload }), by: 'client', subject: undefined }
  }
  // A grant that lost its user is accepted nowhere.
  if (subject === undefined) throw new OAuthError(BEARER_ERRORS.bearer_unknown)
  const token = extent as AccessToken
  if (origin === 'personal') return { ...token, ...more, personal: true }
  return isPlain ? token : { ...token, ...more }
}
