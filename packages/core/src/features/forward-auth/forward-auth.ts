/**
 * Forward auth: a gateway sends a request with a token and gets its user, client and scopes as headers, or the error of the
 * guard. It reads one record, and writes none but the last use of a personal access token.
 */
import * as z from 'zod'
import type { Feature, ServerContext } from '../../feature.ts'
import { endpointPath } from '../../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, header } from '../../http/http.ts'
import { type Parameters, pairsOf, parameters, readMessage, text } from '../../http/message.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import { canonicalResource, plainResources } from '../../kernel/resource-indicator.ts'
import { parseScope, type ScopeCatalogue } from '../../kernel/scope.ts'
import { ipAddress } from '../../limits/caller-network.ts'
import type { AccessToken, ClientCredentialsToken, RequiredSignIn } from '../../resource/access.ts'
import { checkedSignIn, type RouteDemands } from '../../resource/guard.ts'
import { accessOf, type GuardedResource, guardOf } from '../../resource/resource-server.ts'
import type { ProofOfPossession } from '../../tokens/proof-of-possession.ts'

export const FORWARD_AUTH_ERRORS = defineErrors({
  ...withCode('insufficient_scope', {
    verify_scope_unknown:
      'The gateway requires a scope that does not exist here. Ask its operator to correct it',
    verify_sign_in_unknown:
      'The gateway requires a sign-in that does not exist here. Ask its operator to correct acr_values or max_age',
  }),
  gateway_names_no_request: [
    'invalid_dpop_proof',
    'The gateway does not forward the method and URI, so the DPoP proof cannot be verified. Ask its operator to correct this',
  ],
})

export interface ForwardAuthOptions {
  /** The resource whose tokens are accepted: one of `resources` of the server. Default: the issuer. */
  readonly resource?: string | undefined
  /** The path below the issuer. Default `/api/oauth/verify`. */
  readonly path?: string | undefined
  /** Whether client-credentials tokens are accepted too. They have no user: `X-Auth-Subject` is `-`. Default false. */
  readonly clientCredentials?: boolean | undefined
  /** Whether personal access tokens are accepted too. Default false. */
  readonly personalTokens?: boolean | undefined
  /**
   * The public origin of the gateway, `https://api.example`. With it, sender-constrained tokens are accepted with a proof for
   * a URL of this origin. The gateway must set `X-Forwarded-Method` and `X-Forwarded-Uri` itself and drop these headers from
   * its clients; otherwise a stolen token and proof work for other requests. Default: sender-constrained tokens are refused.
   */
  readonly origin?: string | undefined
}

/**
 * Forward auth for nginx `auth_request`, Traefik ForwardAuth, Caddy `forward_auth` and Envoy `ext_authz`: 200 with
 * `X-Auth-Subject`, `X-Auth-Client` and `X-Auth-Scope`, or a 401 or 403 (RFC 6750 3.1). `scope` in the query names the scopes
 * that the token must have; `acr_values` one class of `stepUp`, and `max_age` the seconds, of the sign-in that it must have begun in
 * (RFC 9470). The gateway must set these three headers itself, or its clients can send their own.
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
  personalTokens = false,
  origin,
}: ForwardAuthOptions = {}): Feature {
  const checked = origin === undefined ? undefined : checkedOrigin(origin)
  return (server) => {
    const guarded = guardedResource(server, resource ?? server.issuer, checked)
    let guard: GuardedResource | undefined
    return {
      endpoints: [
        {
          path: endpointPath('verify', path, '/api/oauth/verify'),
          summary: 'Forward auth for gateways (RFC 6750 3)',
          // Envoy forwards the method of the request.
          methods: ['*'],
          cors: false,
          answer: (request) => verify(server, guard, request, { clientCredentials, personalTokens }),
        },
      ],
      errors: FORWARD_AUTH_ERRORS,
      checkMounted({ senderConstraint }) {
        if (checked !== undefined && senderConstraint === undefined)
          throw new Error('forwardAuth: origin is for sender-constrained tokens, which need dpop()')
        if (checked === undefined && senderConstraint?.userinfo.required)
          throw new Error('forwardAuth: dpop() binds every token to a key, so the option origin is required')
        const proofs = checked === undefined ? undefined : senderConstraint?.proofsAt(checked)
        guard = {
          ...guardOf(server, guarded, server.accessTokens, proofs && proofsOfForwarded(proofs)),
          authenticationClasses: server.authenticationClasses.names,
        }
      },
    }
  }
}

function checkedOrigin(origin: string): string {
  if (!/^https?:\/\/./.test(origin) || !URL.canParse(origin))
    throw new Error('forwardAuth: origin must be an http or https origin')
  return new URL(origin).origin
}

function guardedResource(
  { resources, boundResources }: ServerContext,
  indicator: string,
  origin: string | undefined,
): string {
  const resource = canonicalResource(indicator)
  if (!plainResources(resources).includes(resource))
    throw new Error('forwardAuth: resource must be one of the resources of the server, and no family')
  if (boundResources.includes(resource) && origin === undefined)
    throw new Error(
      'forwardAuth: resource accepts only sender-constrained tokens, so the option origin is required',
    )
  return indicator
}

async function verify(
  server: ServerContext,
  guard: GuardedResource | undefined,
  request: HttpRequest,
  callers: RouteDemands,
): Promise<HttpResponse> {
  if (guard === undefined) throw new Error('forwardAuth: the server is not created yet')
  const { scopes, signIn } = demandsOfGateway(request.query, server)
  const access = await accessOf(guard, ofCaller(request), scopes, { ...callers, signIn })
  if (access.kind === 'refused') return access.response
  if (access.kind === 'anonymous') throw new Error('Forward auth requires a token')
  return { status: 200, headers: { ...access.headers, ...identityOf(access.token) }, body: '' }
}

/**
 * The request is the gateway's. The address is that of its caller if it stands in `X-Forwarded-For`: the server has taken it from
 * there, because it trusts the gateway. Any other one would show users the network of the gateway as the one that used their token.
 */
function ofCaller(request: HttpRequest): HttpRequest {
  const { remoteAddress } = request
  const address = remoteAddress && ipAddress(remoteAddress)
  const named = header(request, 'x-forwarded-for')?.split(',').map(ipAddress) ?? []
  return address && named.includes(address) ? request : { ...request, remoteAddress: undefined }
}

/** `X-Auth-Subject` of client-credentials tokens. It is not empty: nginx and lighttpd leave out a header without a value. */
const NO_USER = '-'

function identityOf({ subject, clientId, scopes }: AccessToken | ClientCredentialsToken) {
  if (subject === NO_USER) throw new Error('A subject must not be "-", which means no user')
  return {
    'x-auth-subject': headerValue(subject ?? NO_USER),
    'x-auth-client': headerValue(clientId),
    'x-auth-scope': scopes.join(' '),
    'cache-control': 'no-store',
  }
}

/** Visible ASCII, with inner spaces. */
const HEADER_VALUE = /^[!-~]+( +[!-~]+)*$/

/** @throws Error if a header cannot carry the name unchanged, since it could then name another user (RFC 9110 5.5) */
function headerValue(name: string): string {
  if (!HEADER_VALUE.test(name)) throw new Error('A subject or client id does not fit into a header')
  return name
}

const ScopeDemand = z.object({ scope: text().optional() })
const seconds = z.string().regex(/^[0-9]{1,9}$/)
const SignInDemand = z.object({ acr_values: text().optional(), max_age: seconds.optional() })

/** @throws OAuthError 403 for what does not exist: nginx treats every status other than 401 and 403 as an error */
function demandsOfGateway(query: string, { scopes, authenticationClasses }: ServerContext) {
  const sent = parameters(query)
  // Elsewhere a parameter without a value is absent. Here that would drop the demand of a gateway whose variable is empty.
  for (const [name, value] of pairsOf(query)) {
    if (value !== '') continue
    if (Object.hasOwn(ScopeDemand.shape, name)) throw new OAuthError(FORWARD_AUTH_ERRORS.verify_scope_unknown)
    if (Object.hasOwn(SignInDemand.shape, name))
      throw new OAuthError(FORWARD_AUTH_ERRORS.verify_sign_in_unknown)
  }
  return {
    scopes: requiredScopes(sent, scopes),
    signIn: requiredSignIn(sent, authenticationClasses.names),
  }
}

function requiredScopes(sent: Parameters, catalogue: ScopeCatalogue): readonly string[] {
  const unknown = FORWARD_AUTH_ERRORS.verify_scope_unknown
  const { scope } = readMessage(ScopeDemand, sent, () => unknown)
  const names = scope === undefined ? [] : parseScope(scope)
  if (names === undefined || !names.every((name) => Object.hasOwn(catalogue, name)))
    throw new OAuthError(unknown)
  return names
}

function requiredSignIn(sent: Parameters, classes: readonly string[]): RequiredSignIn | undefined {
  const unknown = FORWARD_AUTH_ERRORS.verify_sign_in_unknown
  const { acr_values: acr, max_age } = readMessage(SignInDemand, sent, () => unknown)
  if (acr === undefined && max_age === undefined) return undefined
  const maxAge = max_age === undefined ? undefined : Number(max_age)
  try {
    return checkedSignIn(classes, { acr, maxAge })
  } catch (cause) {
    throw new OAuthError(unknown, undefined, { cause })
  }
}

/**
 * Verifies proofs for the request that the gateway forwards, not for the request to this server. The gateway names it in
 * `X-Forwarded-Method` and `X-Forwarded-Uri`; the host comes from the configuration.
 */
function proofsOfForwarded(proofs: ProofOfPossession): ProofOfPossession {
  return { ...proofs, present: (request) => proofs.present(forwardedRequest(request)) }
}

/** RFC 9110 9.1. Two headers arrive joined by a comma. */
const METHOD = /^[A-Za-z-]+$/
/** RFC 9112 3.2.1. Two headers are joined with a space, and browsers read a backslash as a slash. */
const ORIGIN_FORM = /^\/[^\s#\\]*$/

/** @throws OAuthError if a header is missing, malformed or repeated */
function forwardedRequest(request: HttpRequest): HttpRequest {
  const method = header(request, 'x-forwarded-method') ?? ''
  const uri = header(request, 'x-forwarded-uri') ?? ''
  if (!METHOD.test(method) || !ORIGIN_FORM.test(uri))
    throw new OAuthError(FORWARD_AUTH_ERRORS.gateway_names_no_request)
  const [path = '', ...query] = uri.split('?')
  return { ...request, method, path, query: query.join('?') }
}
