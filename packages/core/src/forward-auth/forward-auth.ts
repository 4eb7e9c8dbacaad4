/**
 * The question of a gateway that guards other applications: may this request pass, and whose is it? A request with a token
 * comes in; its user, client and scopes go out as headers, or the refusal of the guard. It reads one record and writes none.
 */
import type { Feature } from '../feature.ts'
import type { HttpRequest, HttpResponse } from '../http/http.ts'
import { endpointPath } from '../http/well-known.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { canonicalResource } from '../kernel/resource-indicator.ts'
import type { AccessToken, ClientCredentialsToken } from '../resource/access.ts'
import { accessOf, type GuardedResource, guardOf } from '../resource/guard.ts'
import type { ProofsOfResource } from '../resource/resource-server.ts'
import { type AccessTokenFormat, opaqueAccessTokens } from '../tokens/access-token.ts'
import type { ProofOfPossession } from '../tokens/proof-of-possession.ts'
import { proofsOfCallers } from './forwarded-request.ts'
import { demandedScopes } from './verify-request.ts'

export interface ForwardAuthOptions {
  /** The resource whose tokens pass: one of `resources` of the server. Default: the issuer. */
  readonly resource?: string | undefined
  /** The path below the issuer. Default `/api/oauth/verify`. */
  readonly path?: string | undefined
  /** The access token format of the server. Default: opaque tokens. */
  readonly accessTokens?: AccessTokenFormat | undefined
  /** Lets machine tokens pass too, with `-` in `X-Auth-Subject`: they have no user. Default false. */
  readonly clientCredentials?: boolean | undefined
  /**
   * Takes access tokens that are bound to a key: `dpopProofs`, with the public origin of the gateway. The gateway must set
   * `X-Forwarded-Method` and `X-Forwarded-Uri` itself and drop what its callers send there, or whoever steals a token and
   * a proof uses them for other requests. Default: bound tokens are refused.
   */
  readonly proofs?: ProofsOfResource | undefined
}

/**
 * Answers the question of nginx `auth_request`, Traefik ForwardAuth, Caddy `forward_auth` and Envoy `ext_authz`: 200 with
 * `X-Auth-Subject`, `X-Auth-Client` and `X-Auth-Scope`, or the 401 or 403 of RFC 6750 3.1. `scope` in the query names what
 * the token must have. The gateway must replace these headers in what it hands on, or its callers can send their own.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { forwardAuth } from '@grantkit/core/forward-auth'
 *
 * const features = [forwardAuth()]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function forwardAuth({
  resource,
  path,
  accessTokens = opaqueAccessTokens,
  clientCredentials = false,
  proofs,
}: ForwardAuthOptions = {}): Feature {
  return (kernel) => {
    const guarded = resource ?? kernel.issuer
    const guard = guardOf(kernel, guarded, accessTokens, callersProofs(kernel, guarded, proofs))
    return {
      requiresProofs: guard.proofs?.required ?? false,
      endpoints: [
        {
          path: endpointPath('verify', path, '/api/oauth/verify'),
          summary: 'May this request pass? (RFC 6750 3)',
          // Envoy asks with the method of its caller.
          methods: ['*'],
          cors: false,
          answer: (request) => verify(kernel, guard, request, clientCredentials),
        },
      ],
    }
  }
}

function callersProofs(
  { resources, boundResources, store, now }: Kernel,
  guarded: string,
  proofs: ProofsOfResource | undefined,
): ProofOfPossession | undefined {
  const resource = canonicalResource(guarded)
  if (!resources.includes(resource))
    throw new Error('forwardAuth: resource must be one of the resources of the server')
  if (boundResources.includes(resource) && proofs === undefined)
    throw new Error('forwardAuth: resource takes bound tokens alone, which need proofs')
  return proofs && proofsOfCallers(proofs({ resource, transients: store.transients, now }))
}

async function verify(
  kernel: Kernel,
  guard: GuardedResource,
  request: HttpRequest,
  clientCredentials: boolean,
): Promise<HttpResponse> {
  const required = demandedScopes(request.query, kernel.scopes)
  const access = await accessOf(guard, request, required, clientCredentials)
  if (access.kind === 'refused') return access.response
  if (access.kind === 'anonymous')
    throw new Error('The guard of a gateway lets nobody through without a token')
  return { status: 200, headers: { ...access.headers, ...identityOf(access.token) }, body: '' }
}

/** The subject of a client that acts for itself. Not an empty one: nginx and lighttpd leave out a header without a value. */
const NO_USER = '-'

function identityOf({
  subject,
  clientId,
  scopes,
}: AccessToken | ClientCredentialsToken): HttpResponse['headers'] {
  if (subject === NO_USER) throw new Error('A subject means no user in a header')
  return {
    'x-auth-subject': headerValue(subject ?? NO_USER),
    'x-auth-client': headerValue(clientId),
    'x-auth-scope': scopes.join(' '),
    'cache-control': 'no-store',
  }
}

/** Visible ASCII, with spaces between. */
const HEADER_VALUE = /^[!-~]+( +[!-~]+)*$/

/** @throws Error where a header would not carry the name as it is, and so could name somebody else (RFC 9110 5.5) */
function headerValue(name: string): string {
  if (!HEADER_VALUE.test(name)) throw new Error('A subject or client id does not fit into a header')
  return name
}
