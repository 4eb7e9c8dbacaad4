/**
 * Redirect URIs are compared as strings and never rewritten: a URL parser may treat different URIs as equal (RFC 9700
 * 2.1).
 */
import {
  defineErrors,
  type ErrorDefinition,
  OAuthError,
  type OAuthErrorOptions,
  withCode,
} from '../kernel/oauth-error.ts'

const MAX_URI_LENGTH = 2048
/**
 * http, a loopback host, an optional port, then path and query in RFC 3986 characters. No user, wildcard or fragment.
 */
const LOOPBACK_URI =
  /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?((?:\/(?:[\w\-.~!$&'()+,;=:@]|%[2-7][0-9A-Fa-f]|%[89A-Fa-f][0-9A-Fa-f])*)*(?:\?(?:[\w\-.~!$&'()+,;=:@/?]|%[0-9A-Fa-f]{2})*)?)$/

/** Its host, and everything after the port. */
function parseLoopback(uri: string) {
  if (uri.length > MAX_URI_LENGTH) return undefined
  const [, host, port, rest = ''] = LOOPBACK_URI.exec(uri) ?? []
  if (host === undefined || Number(port ?? 80) > 65535) return undefined
  return { host, rest }
}

export function isLoopback(uri: string): boolean {
  return parseLoopback(uri) !== undefined
}

/**
 * Whether a requested redirect URI matches the registered one: the same string, or the same loopback host with another
 * port. A native app learns its port only when it starts to listen (RFC 8252 7.3; RFC 9700 4.1.3 for `localhost`).
 */
export function redirectUriMatches(registered: string, requested: string): boolean {
  if (registered === requested) return true
  const known = parseLoopback(registered)
  const other = parseLoopback(requested)
  return known !== undefined && known.host === other?.host && known.rest === other.rest
}

/** They run code in the browser, open a local file, belong to the browser, or run an app that they do not name. */
const UNSAFE_SCHEME =
  /^\s*(javascript|data|vbscript|blob|file|filesystem|about|view-source|intent|ms-[a-z0-9+.-]*|wss?):/i

/** No client may have a redirect URI of such a scheme. */
export function hasUnsafeScheme(uri: string): boolean {
  return UNSAFE_SCHEME.test(uri)
}

/** A redirect URI on the web, or of a program on the user's computer. */
export function isHttpsOrLoopback(uri: string): boolean {
  const https = /^https:\/\/[a-z0-9.-]+(?::[0-9]+)?(?:[/?][^#\s\\]*)?$/i.test(uri) && URL.canParse(uri)
  return (https && uri.length <= MAX_URI_LENGTH) || isLoopback(uri)
}

const PRIVATE_USE_URI = /^[a-z][a-z0-9+.-]*:\/[\w\-.~!$&'()+,;=:@/?%]*$/i

/**
 * The URI of an app by a scheme of its own. RFC 8252 7.1 requires a scheme with a period and 8.4 advises against others, which
 * many apps have: only the exact URI of a named app may have one.
 */
export function isPrivateUseUri(uri: string): boolean {
  const privateUse = PRIVATE_USE_URI.test(uri) && !hasUnsafeScheme(uri) && !/^https?:/i.test(uri)
  return privateUse && uri.length <= MAX_URI_LENGTH
}

/** A URI that an operator may register for a client, to return to with a code or after a logout. */
export function isRegistrableByOperator(uri: string): boolean {
  return isHttpsOrLoopback(uri) || isPrivateUseUri(uri)
}

/** The type of a client that names none: `native` if all its redirect URIs are of an app on the user's device. */
export function applicationTypeOf(redirectUris: readonly string[]): 'native' | 'web' {
  // RFC 8252 7.
  return redirectUris.every((uri) => isLoopback(uri) || !/^https?:/i.test(uri)) ? 'native' : 'web'
}

/** Adds response parameters to the query of a redirect URI, which may have one already (RFC 6749 4.1.2). */
export function withParameters(uri: string, added: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(added)) if (value !== undefined) query.set(name, value)
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}

/**
 * CSP sources that let a form's answer redirect there. Only a web address has a host in CSP, which cannot spell one of IPv6: for
 * others the scheme stands alone. Browsers check the whole chain of redirects against them.
 */
export function formActionSources(uri: string, hops: readonly string[] = []): string[] {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*:)/i.exec(uri) ?? []
  const [origin = scheme] = /^https?:\/\/[^/?[]+/.exec(uri) ?? []
  return [origin, ...hops]
}

// Which redirect URIs a client may have that the operator did not register: a policy of the operator.

/** The policy for redirect URIs that the operator did not register: the URIs to keep, or the reason to refuse the list. */
export type RedirectUriPolicy = (uris: readonly string[]) => RedirectUriVerdict
export type RedirectUriVerdict =
  | {
      readonly accepted: readonly string[]
      /** The owner of all accepted URIs, except loopback ones. */
      readonly owner?: RedirectUriOwner | undefined
    }
  | {
      readonly refused: string
      /** The owner of a refused URI, if the operator has not allowed this client. */
      readonly ownerOff?: OwnerOff | undefined
    }

interface OwnerOff {
  readonly id: string
  readonly name: string
  /** How the operator allows it; a part of the error. */
  readonly hint?: string | undefined
}

/** A client with redirect URIs of its own, which all its users share. Pages and events show it; it permits nothing. */
export interface RedirectUriOwner {
  readonly id: string
  readonly name: string
  /** The host of its vendor, as users are shown it. */
  readonly host: string
  /** Schemes that its https redirect URI goes on to, such as `claude:`, for the Content-Security-Policy of the consent page. */
  readonly formActionHops: readonly string[]
}

export interface RedirectUriOptions {
  /**
   * Decides which redirect URIs a client may register, and which of those that its document lists it may use. Default
   * `loopbackOnly()`.
   */
  readonly redirectUriPolicy?: RedirectUriPolicy | undefined
}

/** An absolute URI without a fragment (RFC 6749 3.1.2). A header carries no other characters. */
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:[!"$-~]+$/i

/** The policy of the operator. An unusable URI that it accepts by mistake is still refused. */
export function redirectUriPolicyOf({
  redirectUriPolicy = loopbackOnly(),
}: RedirectUriOptions): RedirectUriPolicy {
  return (uris) => {
    const verdict = redirectUriPolicy(uris)
    if ('refused' in verdict) return verdict
    const { accepted } = verdict
    if (accepted.length === 0) return { refused: 'redirect_uris: none is accepted' }
    const unusable = accepted.find((uri) => !ABSOLUTE_URI.test(uri) || hasUnsafeScheme(uri))
    if (unusable === undefined) return verdict
    return { refused: `redirect_uris[${uris.indexOf(unusable)}]: must be an absolute URI without a fragment` }
  }
}

export interface LoopbackOnlyOptions {
  /** Accept the name `localhost` next to the two IP literals; RFC 8252 8.3 advises against it. Default true. */
  readonly localhost?: boolean | undefined
  /** Accept a query; never one with a parameter of the answer, such as `code`. Default false. */
  readonly query?: boolean | undefined
  /** If a list has other URIs too: keep the loopback ones, or refuse all of it. Default `prune`. */
  readonly mixed?: 'prune' | 'refuse' | undefined
}

/**
 * The policy for open registration: only an app on the user's own computer can receive a code. By default it accepts
 * what common clients register: the name `localhost`, and lists for several servers at once.
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer, loopbackOnly } from '@grantkit/core'
 *
 * const redirectUriPolicy = loopbackOnly({ localhost: false, mixed: 'refuse' })
 * createAuthorizationServer({ issuer, store, scopes, secret, interaction, redirectUriPolicy })
 * ```
 */
export function loopbackOnly(options: LoopbackOnlyOptions = {}): RedirectUriPolicy {
  return loopbackAnd(() => NOT_LOOPBACK, options)
}

const HTTP = /^http:/i
const NOT_LOOPBACK = 'not a loopback address such as http://127.0.0.1:8080/callback'

/**
 * Accepts loopback addresses, and others that a rule of the caller accepts.
 *
 * @param faultOf why a URI that is not of http is refused; `undefined` accepts it
 *
 * @example
 * ```ts
 * import { loopbackAnd } from '@grantkit/core/feature'
 *
 * const CALLBACK = 'https://tool.example/callback'
 * export const policy = loopbackAnd((uri) => (uri === CALLBACK ? undefined : 'neither a loopback address nor of the tool'))
 * ```
 */
export function loopbackAnd(
  faultOf: (uri: string) => string | undefined,
  { localhost = true, query = false, mixed = 'prune' }: LoopbackOnlyOptions = {},
): RedirectUriPolicy {
  const fault = (uri: string) => (HTTP.test(uri) ? loopbackFault(uri, localhost, query) : faultOf(uri))
  return (uris) => {
    const faults = uris.map(fault)
    const accepted = uris.filter((_, index) => faults[index] === undefined)
    const prune = mixed === 'prune' && accepted.length > 0
    if (prune || accepted.length === uris.length) return { accepted }
    // By position: the text goes to the operator's log, and a mixed-up field may contain a secret.
    return {
      refused: faults.map((found, index) => `redirect_uris[${index}]: ${found ?? 'accepted'}`).join('; '),
    }
  }
}

/** Why a URI is not one of a program on the user's computer; `undefined` if it is. */
function loopbackFault(uri: string, localhost: boolean, query: boolean): string | undefined {
  const parsed = parseLoopback(uri)
  if (parsed === undefined) return NOT_LOOPBACK
  if (parsed.host === 'localhost' && !localhost) return 'use 127.0.0.1 or [::1] rather than localhost'
  if (uri.includes('?') && !query) return 'must have no query'
  return undefined
}

export function accepts(verdict: RedirectUriVerdict, uri: string): boolean {
  return 'accepted' in verdict && verdict.accepted.includes(uri)
}

export function ownerOf(verdict: RedirectUriVerdict): RedirectUriOwner | undefined {
  return 'accepted' in verdict ? verdict.owner : undefined
}

export const REDIRECT_URI_ERRORS = defineErrors(
  withCode('invalid_redirect_uri', {
    redirect_uri_refused: 'This redirect URI is not allowed. Use a loopback URI, or ask the operator',
    known_client_off: 'This server has not enabled this client. Ask its operator to enable it',
  }),
)

/** An error that names the client the operator would have to allow; otherwise an error of `definition`. */
export function refusalOf(
  verdict: RedirectUriVerdict,
  definition: ErrorDefinition,
  { detail, ...options }: OAuthErrorOptions & { readonly detail?: string } = {},
): OAuthError {
  const off = 'refused' in verdict ? verdict.ownerOff : undefined
  if (off === undefined) return new OAuthError(definition, detail, options)
  const { known_client_off } = REDIRECT_URI_ERRORS
  const message = off.hint && `${known_client_off.description}: ${off.hint}`
  return new OAuthError(known_client_off, message, { parameters: { known: off.id, name: off.name } })
}

/** The parameters of a response (RFC 6749 4.1.2, RFC 9207 2), also as lenient parsers read them: `CODE`, `code[]`. */
const RESPONSE_PARAMETER = /^\s*(code|state|iss|error(_description|_uri)?)\s*(\[|$)/i

/**
 * Refuses a query that a client could mix up with the authorization response: of two parameters with one name, some
 * parsers take the first.
 *
 * @throws OAuthError `invalid_redirect_uri`
 */
export function refuseResponseParameters(uris: readonly string[]): void {
  const index = uris.findIndex((uri) => parameterNames(uri).some((name) => RESPONSE_PARAMETER.test(name)))
  if (index < 0) return
  const fault = `redirect_uris[${index}]: a parameter of its query would be mixed up with the answer, such as code`
  throw new OAuthError(REDIRECT_URI_ERRORS.redirect_uri_refused, fault)
}

/** Decoded. Semicolons separate too, since they do for some parsers. */
function parameterNames(uri: string): string[] {
  const query = uri.replace(/[^?]*\??/, '')
  return [...new URLSearchParams(query.replaceAll(';', '&')).keys()]
}
