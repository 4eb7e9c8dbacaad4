import * as z from 'zod'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import { endpointPath, type PathOptions } from '../http/endpoint.ts'
import { json } from '../http/http.ts'
import { readMessage } from '../http/message.ts'
import { type Claims, claimsAbout, type Kernel, type SubjectOptions } from '../kernel/kernel.ts'
import type { AccessTokenState, Grant } from '../kernel/records.ts'
import { plainResources } from '../kernel/resource-indicator.ts'
import {
  type AccessTokenFormat,
  parseRefreshToken,
  type RefreshToken,
  tokenType,
} from '../tokens/credential.ts'
import { prefetch, recordUse } from './change-grant.ts'
import {
  claimsOfTerms,
  findAccessToken,
  hasUnknownTerm,
  holderOf,
  termsOfToken,
  workloadOf,
} from './grant.ts'
import { type OperatorClaims, operatorClaims, type TokenClaimsOptions } from './operator-claims.ts'
import { isCurrentRefreshToken } from './refresh-token-state.ts'
import type { WithTerms } from './request-terms.ts'

/** RFC 7662 2.1. */
const IntrospectionRequest = z.object({ token: z.string() })

export type IntrospectionOptions = PathOptions<'introspect'> & SubjectOptions & TokenClaimsOptions

type IntrospectingServer = Kernel & SignInClassifier & WithTerms

const use = 'introspection'

/** RFC 7662 2.2: a token that the caller may not see looks the same as one that does not exist. */
const INACTIVE = { active: false } as const

/**
 * The introspection endpoint (RFC 7662). A resource server sees every access token, any other client only its own. A refresh
 * token is shown to its client alone. A resource server sees the e-mail address of the user too, if the token has the scope
 * `email`: by it the systems of the operator recognise the user. It sees the claims of the option `tokenClaims` too.
 */
export function introspection(
  kernel: IntrospectingServer,
  options: IntrospectionOptions,
  accessTokens: AccessTokenFormat,
): { clientEndpoints: ClientEndpoint[] } {
  const { paths, claims } = options
  const ofOperator = operatorClaims(kernel, options)
  const introspect: ClientEndpoint = {
    path: endpointPath('introspect', paths?.introspect, '/api/oauth/introspect'),
    metadataName: 'introspection_endpoint',
    listsAuthMethods: true,
    summary: 'What a token is good for (RFC 7662)',
    message: IntrospectionRequest,
    confidential: true,
    begin(form) {
      const { token } = readMessage(IntrospectionRequest, form)
      const prefetched = prefetch(kernel.store, token, accessTokens)
      return async (client) => {
        const stored = await prefetched?.found
        if (stored === undefined) return json(200, INACTIVE)
        const grant = stored.value
        if (grant.terms !== undefined && hasUnknownTerm(kernel.requestTerms?.list, grant.terms))
          return json(200, INACTIVE)
        const read = accessTokens.read(token)
        const access = read instanceof Promise ? await read : read
        const now = kernel.now()
        const state = access && findAccessToken(grant, access.hash, now)
        const own = client.clientId === holderOf(grant, state)
        if (state === undefined) {
          // To an API it would look like an access token: the answer has no type that distinguishes them.
          const refresh = own ? parseRefreshToken(token) : undefined
          return json(200, (refresh && describeRefreshToken(kernel, grant, refresh, now)) ?? INACTIVE)
        }
        if (!own && !client.resourceServer) return json(200, INACTIVE)
        const described = describeAccessToken(kernel, grant, state)
        const terms = grant.terms && termsOfToken(grant, state)
        const ofTerms =
          terms && claimsOfTerms(kernel.requestTerms?.list, terms, { use, resources: state.resources })
        if (!client.resourceServer) return json(200, ofTerms ? { ...described, ...ofTerms } : described)
        // The API that introspects was called. The network of the app is not known here.
        if (grant.origin === 'personal')
          recordUse({ grants: kernel.store.grants, emit: kernel.emit }, stored, undefined, now)
        const resource = audienceOf(kernel, state).join(' ')
        kernel.observer?.report({ fact: 'token_used', grant, resource }, { path: introspect.path })
        const email = claims && state.scopes.includes('email') ? await emailOf(grant, claims) : undefined
        const more = ofOperator && (await claimsOfToken(kernel, ofOperator, grant, state))
        const isPlain = (email ?? more ?? ofTerms) === undefined
        return json(200, isPlain ? described : { ...described, ...email, ...more, ...ofTerms })
      }
    },
  }
  return { clientEndpoints: [introspect] }
}

/** OpenID Connect Core 5.1. Empty for a user who is gone. @throws OAuthError `temporarily_unavailable` */
async function emailOf({ subject }: Grant, claims: Claims): Promise<object> {
  const { email, email_verified } = (subject && (await claimsAbout(claims, subject))) || {}
  return { email, email_verified }
}

/** Computed now, also for a JWT: its own may be old. */
async function claimsOfToken(
  { store }: Kernel,
  claims: OperatorClaims,
  grant: Grant,
  state: AccessTokenState,
): Promise<object> {
  const client = await store.clients.find(holderOf(grant, state))
  const { scopes, resources } = state
  const terms = termsOfToken(grant, state)
  return client === undefined ? {} : claims(use, { grant, terms, client, scopes, resources })
}

function describeAccessToken(kernel: IntrospectingServer, grant: Grant, state: AccessTokenState): object {
  const { jkt } = state
  const { acr, authTime: auth_time } = kernel.authenticationClasses.shown(grant)
  return describeGrant(kernel, grant, state, {
    token_type: tokenType(jkt),
    // RFC 9470 6.2.
    acr,
    auth_time,
    // RFC 9449 6.2.
    cnf: jkt === undefined ? undefined : { jkt },
  })
}

function describeRefreshToken(
  kernel: Kernel,
  grant: Grant,
  token: RefreshToken,
  now: number,
): object | undefined {
  const { refresh, scopes, resources, usedAt } = grant
  if (refresh === undefined || !isCurrentRefreshToken(grant, token, now)) return undefined
  const issuedAt = refresh.previous?.rotatedAt ?? usedAt
  return describeGrant(kernel, grant, { scopes, resources, issuedAt, expiresAt: refresh.expiresAt })
}

type Extent = Omit<AccessTokenState, 'hash' | 'parent'>

/** A token without resources is valid at all of them. */
function audienceOf({ resources: all }: Kernel, { resources }: Pick<Extent, 'resources'>): readonly string[] {
  return resources.length === 0 ? plainResources(all) : resources
}

interface AccessTokenMembers {
  readonly token_type: string
  readonly acr: string | undefined
  readonly auth_time: number | undefined
  readonly cnf: { readonly jkt: string } | undefined
}

/** One literal: copies of objects would be most of what it costs. */
function describeGrant(kernel: Kernel, grant: Grant, token: Extent, access?: AccessTokenMembers): object {
  const audience = audienceOf(kernel, token)
  return {
    active: true,
    scope: token.scopes.join(' '),
    client_id: holderOf(grant, token),
    sub: grant.subject,
    act: token.actor,
    workload: workloadOf(grant),
    // A member of ours (RFC 7662 2.2): an API that takes no personal access tokens must know them.
    personal: grant.origin === 'personal' || undefined,
    aud: audience.length === 1 ? audience[0] : audience,
    iss: kernel.issuer,
    iat: token.issuedAt,
    exp: token.expiresAt,
    token_type: access?.token_type,
    acr: access?.acr,
    auth_time: access?.auth_time,
    cnf: access?.cnf,
  }
}

/** How the user of a grant signed in (OpenID Connect Core 2). */
export type SignInFacts = Pick<Grant, 'acr' | 'amr' | 'authTime'>

/** A server that may classify sign-ins. */
export interface SignInClassifier {
  readonly authenticationClasses: {
    /** What tokens and introspection show of a grant; nothing on a server without classes. */
    shown(grant: Grant): SignInFacts
  }
}
