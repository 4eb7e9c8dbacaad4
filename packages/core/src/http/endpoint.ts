import type * as z from 'zod'
import type { ErrorPlace, Observed, RequestEvent } from '../kernel/events.ts'
import { defineErrors, OAuthError, SERVER_ERRORS, withCode } from '../kernel/oauth-error.ts'
import { withoutSecrets } from '../kernel/secrets.ts'
import { type HttpRequest, type HttpResponse, header, json, type Route, securePage } from './http.ts'

/** The response of RFC 6749 5.2 to an error. */
export function errorResponse(error: OAuthError, request?: HttpRequest): HttpResponse {
  return json(error.status, error, {
    ...error.headers,
    ...errorHeaders(error),
    ...(error.error === 'invalid_client' && request && clientChallenge(request)),
  })
}

const REFERENCE_HEADER = 'Grantkit-Reference'

/** The seconds until a retry makes sense (RFC 9110 10.2.3), for a temporary error, and the reference. */
export function errorHeaders({ retryAfter: seconds, reference }: OAuthError): Record<string, string> {
  return {
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
    ...(reference !== undefined && { [REFERENCE_HEADER.toLowerCase()]: reference }),
  }
}

/** A client that used the Authorization header gets a challenge of its scheme (RFC 6749 5.2, RFC 7617 2.1). */
function clientChallenge(request: HttpRequest): Record<string, string> | undefined {
  const scheme = /^[A-Za-z]{1,20}(?= |$)/.exec(header(request, 'authorization') ?? '')?.[0]
  if (scheme === undefined) return undefined
  const charset = /^basic$/i.test(scheme) ? ', charset="UTF-8"' : ''
  return { 'www-authenticate': `${scheme} realm="oauth"${charset}` }
}

/**
 * Emits an event for anything thrown. If core did not throw it, the application failed: the client only gets `server_error`. With
 * an observer, the error has the reference of its request.
 */
export function reportedError(
  thrown: unknown,
  request: HttpRequest,
  { emit, observer }: Observed,
  at?: ErrorPlace,
): OAuthError {
  const oauthError = asOAuthError(thrown)
  const { error, reason, message: detail, cause } = oauthError
  const { known } = oauthError.parameters
  const path = withoutSecrets(request.path)
  const identity = oauthError.interim ? undefined : observer?.refused(request, oauthError, at)
  const { reference, clientId, subject } = identity ?? {}
  const facts = { path, error, reason, ...(identity && { reference, clientId, subject }) }
  if (oauthError.status >= 500) emit({ type: 'failed', ...facts, cause } satisfies RequestEvent)
  else if (!oauthError.interim)
    emit({ type: 'refused', ...facts, detail, ...(known && { known }) } satisfies RequestEvent)
  return reference === undefined ? oauthError : oauthError.withReference(reference)
}

/**
 * The answer of an adapter to what a route or the framework threw. The routes of core report their faults themselves; any
 * other fault goes to the console, because the client only gets `server_error`.
 *
 * @example
 * ```ts
 * import type { HttpRequest } from '@grantkit/core'
 * import { failedResponse, type Route } from '@grantkit/core/adapter'
 *
 * export const answer = (route: Route, request: HttpRequest) => route.handle(request).catch(failedResponse)
 * ```
 */
export function failedResponse(thrown: unknown): HttpResponse {
  const error = asOAuthError(thrown)
  if (error.status >= 500) console.error('Grantkit: a request failed:', error.cause ?? error)
  return errorResponse(error)
}

function asOAuthError(thrown: unknown): OAuthError {
  return thrown instanceof OAuthError
    ? thrown
    : new OAuthError(SERVER_ERRORS.unexpected, undefined, { cause: thrown })
}

/**
 * The errors of requests that no endpoint can read. They are in `ERRORS` too; an adapter that names all of those would bring the code of
 * every feature into a bundle.
 */
export const MESSAGE_ERRORS = defineErrors({
  ...withCode('invalid_request', {
    message_invalid: 'A parameter of the request is missing, repeated or malformed',
    body_unreadable: 'The body could not be read. Check its encoding and Content-Length',
    parameters_too_many: 'The request has too many parameters. Send at most 100',
  }),
  media_type_unsupported: [
    'invalid_request',
    'Unsupported Content-Type. Send application/x-www-form-urlencoded, or application/json to register a client',
    415,
  ],
  body_too_large: ['invalid_request', 'The body is too large. Send at most 64 KiB', 413],
  method_not_allowed: [
    'invalid_request',
    'This method is not allowed here. Use one of the Allow header',
    405,
  ],
})

/** The maximum size of a body in bytes; adapters stop reading there. */
export const BODY_LIMIT = 64 * 1024

/** The description of an endpoint, for an OpenAPI document for example. */
export interface EndpointDescription {
  /** The path below the issuer. */
  readonly path: string
  /** The metadata member that holds its address (RFC 8414 2), such as `token_endpoint`. */
  readonly metadataName?: string | undefined
  /** A short summary that names the RFC. */
  readonly summary?: string | undefined
  /** The schema of the message in the form or the JSON body. */
  readonly message?: z.ZodType | undefined
  /** The clients that may use it; absent if the endpoint authenticates none. */
  readonly clients?: 'all' | 'confidential' | undefined
}

export interface Endpoint extends EndpointDescription {
  /** It answers every path below its path, and not that path itself. A literal path wins. */
  readonly below?: true | undefined
  /** `*` is every method. */
  readonly methods: readonly ('GET' | 'POST' | '*')[]
  /** Open to scripts of every origin, without credentials (Fetch 3.2). Never for pages. */
  readonly cors: boolean
  answer(request: HttpRequest): Promise<HttpResponse> | HttpResponse
  /** Formats an error. Default: a JSON body (RFC 6749 5.2). A page sets its own. */
  refusal?(error: OAuthError, request: HttpRequest): HttpResponse | Promise<HttpResponse>
}

/** The headers that scripts of other origins may send and read (Fetch 3.2.3). */
export interface CorsHeaders {
  readonly allowed: readonly string[]
  readonly exposed: readonly string[]
}

const CORS: CorsHeaders = {
  allowed: ['authorization', 'content-type', 'if-none-match', 'mcp-protocol-version'],
  exposed: ['WWW-Authenticate', 'Retry-After', 'ETag'],
}

/** Scripts show it to their users, as they show texts of errors. */
export const REFERENCE_CORS: CorsHeaders = { allowed: [], exposed: [REFERENCE_HEADER] }

/**
 * The routes of a server.
 *
 * @param endpoints below the path of the issuer
 * @param documents paths of these count from the root of the host
 * @param more headers that scripts may send and read too
 * @throws Error when two have one path
 */
export function routesOf(
  kernel: Observed & { readonly issuer: string },
  endpoints: readonly Endpoint[],
  documents: readonly Endpoint[],
  more?: CorsHeaders,
): Route[] {
  const basePath = basePathOf(kernel.issuer)
  const lists = [CORS, ...(more === undefined ? [] : [more]), ...(kernel.observer ? [REFERENCE_CORS] : [])]
  // `*` is any other header but `authorization`, without credentials (Fetch 4.9): tracing adds its own to each request.
  const allowed = [...lists.flatMap((headers) => headers.allowed), '*'].join(', ')
  const exposed = lists.flatMap((headers) => headers.exposed).join(', ')
  const cors = { allowed, exposed }
  const routes = [
    ...endpoints.map((endpoint) => routeOf(endpoint, basePath, kernel, cors)),
    ...documents.map((document) => routeOf(document, '', kernel, cors)),
  ]
  const paths = routes.map(({ path, below }) => (below ? `${path}/` : path))
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice !== undefined) throw new Error(`paths: two endpoints are at ${twice}`)
  // The first route of a path is used, in every framework.
  return [...routes.filter(({ below }) => !below), ...routes.filter(({ below }) => below)]
}

/** Answers every method, and never rejects. */
function routeOf(endpoint: Endpoint, basePath: string, reporting: Observed, cors: CorsLines): Route {
  return {
    path: basePath + endpoint.path,
    ...(endpoint.below && { below: true as const }),
    methods: endpoint.methods,
    async handle(request) {
      let response: HttpResponse
      try {
        response = await answerTo(endpoint, request, cors)
      } catch (thrown) {
        response = await refused(endpoint, thrown, request, reporting)
      }
      return endpoint.cors ? withCors(response, cors) : response
    },
  }
}

/** The error page of the application may fail too: the client gets JSON, and the operator both errors. */
async function refused(
  endpoint: Endpoint,
  thrown: unknown,
  request: HttpRequest,
  reporting: Observed,
): Promise<HttpResponse> {
  const at = { endpoint: endpoint.metadataName }
  const error = reportedError(thrown, request, reporting, at)
  try {
    return await (endpoint.refusal?.(error, request) ?? errorResponse(error, request))
  } catch (fault) {
    return errorResponse(reportedError(fault, request, reporting, at), request)
  }
}

/** `CorsHeaders`, each list as one line. */
type CorsLines = { readonly allowed: string; readonly exposed: string }

function answerTo(
  endpoint: Endpoint,
  request: HttpRequest,
  cors: CorsLines,
): HttpResponse | Promise<HttpResponse> {
  const { method, body } = request
  if (method === 'OPTIONS' && endpoint.cors) {
    const headers = {
      'access-control-allow-methods': endpoint.methods.join(', '),
      'access-control-allow-headers': cors.allowed,
      'access-control-max-age': '86400',
    }
    return { status: 204, headers, body: '' }
  }
  if (method === 'HEAD' && endpoint.methods.includes('GET')) return headOf(endpoint, request)
  if (!endpoint.methods.some((allowed) => allowed === method || allowed === '*'))
    return methodNotAllowed(endpoint)
  if (Buffer.byteLength(body) > BODY_LIMIT) throw new OAuthError(MESSAGE_ERRORS.body_too_large)
  return endpoint.answer(request)
}

/** RFC 9110 9.3.2. No page is made: GET may issue a code or sign a user out, and programs that follow links send HEAD. */
async function headOf(endpoint: Endpoint, request: HttpRequest): Promise<HttpResponse> {
  if (!endpoint.cors) return securePage({ status: 200, headers: {}, body: '' })
  return { ...(await endpoint.answer(request)), body: '' }
}

function methodNotAllowed(endpoint: Endpoint): HttpResponse {
  const allow = [
    ...endpoint.methods,
    ...(endpoint.methods.includes('GET') ? ['HEAD'] : []),
    ...(endpoint.cors ? ['OPTIONS'] : []),
  ]
  return json(405, new OAuthError(MESSAGE_ERRORS.method_not_allowed), { allow: allow.join(', ') })
}

/** There is no cookie to steal, and any browser app may be a client. */
function withCors({ status, headers, body }: HttpResponse, { exposed }: CorsLines): HttpResponse {
  const cors = { ...headers, 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed }
  return { status, headers: cors, body }
}

/** The path of an issuer without a trailing slash; empty if the issuer is an origin. */
export function basePathOf(issuer: string): string {
  return (/^https?:\/\/[^/]+(\/.*)?$/.exec(issuer)?.[1] ?? '').replace(/\/$/, '')
}

/** The address of a path below the issuer, which may end in a slash of its own. */
export function addressOf(issuer: string, path: string): string {
  return issuer.replace(/\/$/, '') + path
}

/** The well-known path goes between the host and the path of the identifier (RFC 8414 3.1, RFC 9728 3.1). */
export function wellKnownPath(name: string, identifier: string): string {
  return `/.well-known/${name}${basePathOf(identifier)}`
}

/** `https://auth.example/tenant` is described at `https://auth.example/.well-known/oauth-authorization-server/tenant`. */
export function wellKnownAddress(name: string, identifier: string): string {
  const origin = /^https?:\/\/[^/]+/.exec(identifier)?.[0] ?? ''
  return origin + wellKnownPath(name, identifier)
}

export interface PathOptions<Name extends string> {
  readonly paths?: { readonly [Endpoint in Name]?: string | undefined } | undefined
}

/** The path of an endpoint below the issuer. @throws Error that names the wrong option */
export function endpointPath(name: string, option: string | undefined, fallback: string): string {
  const path = option ?? fallback
  if (!/^\/[^?#\s]*$/.test(path))
    throw new Error(`paths.${name} must begin with a slash, without query: ${path}`)
  return path
}
