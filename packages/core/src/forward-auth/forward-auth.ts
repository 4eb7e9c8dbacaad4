/**
 * The question of a gateway that guards other applications: may this request pass, and whose is it? A request with a token
 * comes in; its user, client and scopes go out as headers, or the refusal of the guard. It reads one record and writes none.
 */
import type { Feature, ServerContext } from '../feature.ts'
import type { HttpRequest, HttpResponse } from '../http/http.ts'
import { endpointPath } from '../http/well-known.ts'
import { canonicalResource } from '../kernel/resource-indicator.ts'
import type { AccessToken, ClientCredentialsToken } from '../resource/access.ts'
import { accessOf, type GuardedResource, guardOf } from '../resource/guard.ts'
import { FORWARDED_ERRORS, proofsOfCallers } from './forwarded-request.ts'
import { demandedScopes, VERIFY_ERRORS } from './verify-request.ts'

export interface ForwardAuthOptions {
  /** The resource whose tokens pass: one of `resources` of the server. Default: the issuer. */
  readonly resource?: string | undefined
  /** The path below the issuer. Default `/api/oauth/verify`. */
  readonly path?: string | undefined
  /** Lets client credentials tokens pass too, with `-` in `X-Auth-Subject`: they have no user. Default false. */
  readonly clientCredentials?: boolean | undefined
  /**
   * The public origin of the gateway, `https://api.example`. Then access tokens that are bound to a key pass with a proof for
   * a URL there. The gateway must set `X-Forwarded-Method` and `X-Forwarded-Uri` itself and drop what its callers send
   * there, or whoever steals a token and a proof uses them for other requests. Default: bound tokens are refused.
   */
  readonly origin?: string | undefined
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
  clientCredentials = false,
  origin,
}: ForwardAuthOptions = {}): Feature {
  const checked = origin === undefined ? undefined : checkedOrigin(origin)
  return (server) => {
    const guarded = guardedResource(server, resource ?? server.issuer, checked)
    // Proofs are checked by another feature, which is known when all are created.
    let guard: GuardedResource | undefined
    const guardHere = () => {
      const proofs = checked === undefined ? undefined : server.senderConstraint?.proofsAt(checked)
      guard ??= guardOf(server, guarded, server.accessTokens, proofs && proofsOfCallers(proofs))
      return guard
    }
    return {
      endpoints: [
        {
          path: endpointPath('verify', path, '/api/oauth/verify'),
          summary: 'May this request pass? (RFC 6750 3)',
          // Envoy asks with the method of its caller.
          methods: ['*'],
          cors: false,
          answer: (request) => verify(server, guardHere(), request, clientCredentials),
        },
      ],
      errors: { ...FORWARDED_ERRORS, ...VERIFY_ERRORS },
      checkMounted({ senderConstraint }) {
        if (checked !== undefined && senderConstraint === undefined)
          throw new Error('forwardAuth: origin is for tokens that are bound to a key, which needs dpop()')
        if (checked === undefined && senderConstraint?.userinfo.required)
          throw new Error('forwardAuth needs its option origin where dpop() binds every token')
      },
    }
  }
}

function checkedOrigin(given: string): string {
  if (!/^https?:\/\/./.test(given) || !URL.canParse(given))
    throw new Error('forwardAuth: origin must be an http or https origin')
  return new URL(given).origin
}

function guardedResource(
  { resources, boundResources }: ServerContext,
  given: string,
  origin: string | undefined,
): string {
  const resource = canonicalResource(given)
  if (!resources.includes(resource))
    throw new Error('forwardAuth: resource must be one of the resources of the server')
  if (boundResources.includes(resource) && origin === undefined)
    throw new Error('forwardAuth: resource takes bound tokens alone, which need its option origin')
  return given
}

async function verify(
  server: ServerContext,
  guard: GuardedResource,
  request: HttpRequest,
  clientCredentials: boolean,
): Promise<HttpResponse> {
  const required = demandedScopes(request.query, server.scopes)
  const access = await accessOf(guard, request, required, clientCredentials)
  if (access.kind === 'refused') return access.response
  if (access.kind === 'anonymous') throw new Error('Forward auth lets no request pass without a token')
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
