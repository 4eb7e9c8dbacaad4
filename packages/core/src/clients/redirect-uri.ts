/**
 * Redirect URIs are compared as strings and never rewritten: a URL parser may treat different URIs as equal (RFC 9700
 * 2.1).
 */
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'

export const REDIRECT_URI_ERRORS = defineErrors({
  redirect_uri_refused: ['invalid_redirect_uri', 'A redirect URI cannot be registered'],
})

const MAX_URI_LENGTH = 2048
/**
 * http, a loopback host, an optional port, then path and query in RFC 3986 characters. No user, wildcard or fragment.
 */
const LOOPBACK_URI =
  /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?((?:\/(?:[\w\-.~!$&'()+,;=:@]|%[2-7][0-9A-Fa-f]|%[89A-Fa-f][0-9A-Fa-f])*)*)(\?(?:[\w\-.~!$&'()+,;=:@/?]|%[0-9A-Fa-f]{2})*)?$/

interface LoopbackUri {
  readonly host: string
  /** Everything after the port; it must match exactly. */
  readonly rest: string
}

function parseLoopback(uri: string): LoopbackUri | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined
  const [, host, port, path = '', query = ''] = LOOPBACK_URI.exec(uri) ?? []
  if (host === undefined || Number(port ?? 80) > 65535) return undefined
  return { host, rest: path + query }
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

/** The policy for redirect URIs that the operator did not register: the URIs to keep, or the reason to refuse the list. */
export type RedirectUriPolicy = (uris: readonly string[]) => RedirectUriVerdict
export type RedirectUriVerdict = { readonly accepted: readonly string[] } | { readonly refused: string }

export interface RedirectUriOptions {
  /**
   * Decides which redirect URIs a client may register, and which of those that its document lists it may use. Default
   * `loopbackOnly()`.
   */
  readonly redirectUriPolicy?: RedirectUriPolicy | undefined
}

/** Schemes that run code in the browser or open a local file. */
export const SCRIPT_URI = /^\s*(javascript|data|vbscript|blob|file):/i
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
    const unusable = accepted.find((uri) => !ABSOLUTE_URI.test(uri) || SCRIPT_URI.test(uri))
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
export function loopbackOnly({
  localhost = true,
  query = false,
  mixed = 'prune',
}: LoopbackOnlyOptions = {}): RedirectUriPolicy {
  return (uris) => {
    const faults = uris.map((uri) => loopbackFault(uri, localhost, query))
    const accepted = uris.filter((_, index) => faults[index] === undefined)
    const prune = mixed === 'prune' && accepted.length > 0
    if (prune || accepted.length === uris.length) return { accepted }
    // Names URIs by their position: the text goes to the operator's log, and a mixed-up field may contain a secret.
    return {
      refused: faults.map((fault, index) => `redirect_uris[${index}]: ${fault ?? 'accepted'}`).join('; '),
    }
  }
}

function loopbackFault(uri: string, localhost: boolean, query: boolean): string | undefined {
  const parsed = parseLoopback(uri)
  if (parsed === undefined) return 'not a loopback address such as http://127.0.0.1:8080/callback'
  if (parsed.host === 'localhost' && !localhost) return 'use 127.0.0.1 or [::1] rather than localhost'
  if (uri.includes('?') && !query) return 'must have no query'
  return undefined
}

/** The parameters of an answer (RFC 6749 4.1.2, RFC 9207 2), also as lenient parsers read them: `CODE`, `code[]`. */
const ANSWER_PARAMETER = /^\s*(code|state|iss|error(_description|_uri)?)\s*(\[|$)/i

/**
 * Refuses a query that a client could mix up with the answer of this server: of two parameters with one name, some
 * parsers take the first.
 *
 * @throws OAuthError `invalid_redirect_uri`
 */
export function refuseAnswerParameters(uris: readonly string[]): void {
  const index = uris.findIndex((uri) => parameterNames(uri).some((name) => ANSWER_PARAMETER.test(name)))
  if (index < 0) return
  const fault = `redirect_uris[${index}]: a parameter of its query would be mixed up with the answer, such as code`
  throw new OAuthError(REDIRECT_URI_ERRORS.redirect_uri_refused, fault)
}

/** Decoded. Semicolons separate too, since they do for some parsers. */
function parameterNames(uri: string): string[] {
  const [, query] = /^[^?]*\?(.*)$/s.exec(uri) ?? []
  if (query === undefined) return []
  return [...new URLSearchParams(query.replaceAll(';', '&')).keys()]
}

/** A redirect URI on the web, or of a program on the user's computer. */
export function isHttpsOrLoopback(uri: string): boolean {
  const https = /^https:\/\/[a-z0-9.-]+(?::[0-9]+)?(?:[/?][^#\s\\]*)?$/i.test(uri) && URL.canParse(uri)
  return (https && uri.length <= MAX_URI_LENGTH) || isLoopback(uri)
}

const PRIVATE_USE_URI = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/[\w\-.~!$&'()+,;=:@/?%]*$/i

/** The URI of a native app: its scheme is a domain name in reverse, so it has a period (RFC 8252 7.1). */
function isPrivateUse(uri: string): boolean {
  return uri.length <= MAX_URI_LENGTH && PRIVATE_USE_URI.test(uri)
}

/** A redirect URI that an operator may register: https, loopback, or of a private-use scheme. */
export function isStaticRedirectUri(uri: string): boolean {
  return isHttpsOrLoopback(uri) || isPrivateUse(uri)
}

/** A redirect URI of an app on the user's device (RFC 8252 7). */
export function isNative(uri: string): boolean {
  return isLoopback(uri) || !/^https?:/i.test(uri)
}

/** A policy of the operator accepts it, as it does for clients that register themselves. */
export function isAcceptedBy(policy: RedirectUriPolicy, uri: string): boolean {
  const verdict = policy([uri])
  return 'accepted' in verdict && verdict.accepted.includes(uri)
}

/** Adds response parameters to the query of a redirect URI, which may have one already (RFC 6749 4.1.2). */
export function withParameters(uri: string, added: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(added)) if (value !== undefined) query.set(name, value)
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}

/**
 * CSP sources that let a form's answer redirect there. Only a web address has a host in CSP, which cannot spell one of IPv6: for
 * others the scheme stands alone.
 */
export function formActionSources(uri: string): string[] {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*:)/i.exec(uri) ?? []
  const [origin = scheme] = /^https?:\/\/[^/?[]+/.exec(uri) ?? []
  return [origin]
}
