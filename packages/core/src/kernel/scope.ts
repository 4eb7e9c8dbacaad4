import { inLanguage, type LocalizedText } from './display-text.ts'
import { defineErrors, OAuthError, withCode } from './oauth-error.ts'
import type { Client } from './records.ts'

/** A scope, explained for users. */
export interface ScopeDefinition {
  /** The text of the consent page: what the app will be able to do. */
  readonly description: LocalizedText
  /** Groups scopes on the consent page. */
  readonly area?: LocalizedText | undefined
  /**
   * Whether an app only reads with it. The consent page says that nothing can be changed only if every scope reads, and its
   * "Reading only" leaves out the others. Default: unknown, except of the scopes of OpenID Connect.
   */
  readonly access?: 'read' | 'write'
  /** Lists it in the protected-resource metadata. Clients request every scope they find there. */
  readonly baseline?: boolean | undefined
  /** Claims of the user that it opens. `profile`, `email`, `address` and `phone` open theirs anyway (OpenID Connect Core 5.4). */
  readonly claims?: readonly string[] | undefined
  /** It has a meaning only together with a user: client-credentials tokens never have it (RFC 6749 4.4). */
  readonly user?: boolean | undefined
  /** Only the user can allow it, on the consent page: no assertion of an issuer gives it (RFC 7523). */
  readonly interactive?: boolean | undefined
  /** Users may give it to their personal access tokens. Default: none of them has it. */
  readonly personal?: boolean | undefined
  /**
   * Only for static clients whose own `scopes` or `clientCredentialsScopes` name it: "every scope" does not include it, and no
   * client can register it by itself. The metadata of the server does not list it, because clients request all that they find
   * there. The user is asked each time, so it is not `personal`, not `baseline`, and not in a trust of ID-JAGs. Default false.
   */
  readonly restricted?: boolean | undefined
}

/** Every scope of a service. `protect()` takes its type from the names, so a misspelt scope does not compile. */
export type ScopeCatalogue<Scope extends string = string> = Readonly<Record<Scope, ScopeDefinition>>

/** The scope of OpenID Connect (Core 3.1.2.1): the client requests an ID token. */
export const OPENID = 'openid'

/** The scopes that only read claims (OpenID Connect Core 3.1.2.1 and 5.4). */
const CLAIM_SCOPES: readonly string[] = [OPENID, 'profile', 'email', 'address', 'phone']

/** Whether an app is known to change nothing with a scope. */
export function isReading(name: string, access: ScopeDefinition['access']): boolean {
  return access === 'read' || (access === undefined && CLAIM_SCOPES.includes(name))
}

export interface ScopeInWords extends Omit<ScopeDefinition, 'description' | 'area'> {
  readonly name: string
  /** In the language of the page, as the area is. */
  readonly description: string
  readonly area?: string | undefined
}

/** @param fallbacks languages for texts that have none in `locale` */
export function scopeInLanguage(
  [name, definition]: readonly [string, ScopeDefinition],
  locale: string,
  fallbacks: readonly string[] | undefined,
): ScopeInWords {
  const { description, area } = definition
  return {
    ...definition,
    name,
    description: inLanguage(description, locale, fallbacks),
    area: area && inLanguage(area, locale, fallbacks),
  }
}

export const SCOPE_ERRORS = defineErrors({
  ...withCode('invalid_scope', {
    scope_malformed: 'scope must be names separated by single spaces',
    scope_unknown: 'Unknown scope. See scopes_supported',
    scope_not_registered:
      'The client is not registered for a scope that it requested. Register the scope, or leave it out',
    scope_not_granted:
      'The user did not grant a scope that the client requested. Begin a new authorization for it',
  }),
  scope_missing: ['invalid_request', 'scope is missing. Send one or more of scopes_supported'],
})

const MAX_SCOPE_LENGTH = 4000
/** scope-token, RFC 6749 3.3. */
const SCOPE_TOKENS = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** The names in a `scope` parameter, without repeats, or `undefined` when its syntax is wrong (RFC 6749 3.3). */
export function parseScope(scope: string): string[] | undefined {
  if (scope.length > MAX_SCOPE_LENGTH || !SCOPE_TOKENS.test(scope)) return undefined
  return [...new Set(scope.split(' '))]
}

/**
 * The scopes that a client may request; `undefined` means every scope. A self-registered client registers the scopes that it
 * needs first, and requests more when the user does more. The user decides on these, so the registered scopes are no limit; its
 * initial access token may set one. Only a static client may request a `restricted` scope, and only one that it names.
 *
 * @example
 * ```ts
 * import type { ScopeCatalogue } from '@grantkit/core'
 * import { type Client, requestedScopes, scopeCeiling } from '@grantkit/core/feature'
 *
 * export const scopesFor = (client: Client, scope: string, catalogue: ScopeCatalogue) =>
 *   requestedScopes(scope, catalogue, scopeCeiling(client, catalogue))
 * ```
 */
export function scopeCeiling(
  { origin, scopes, scopeLimit }: Client,
  catalogue: ScopeCatalogue,
): readonly string[] | undefined {
  if (origin === 'integration' && scopes !== undefined) return scopes
  const named = origin === 'registered' ? scopeLimit : scopes
  const open = unrestricted(catalogue)
  if (named !== undefined) return partOf(named, open)
  return open.length === Object.keys(catalogue).length ? undefined : open
}

/** Of each catalogue, which does not change. */
const OPEN_SCOPES = new WeakMap<ScopeCatalogue, readonly string[]>()

/** The names of the scopes that every client may request. */
export function unrestricted(catalogue: ScopeCatalogue): readonly string[] {
  const open =
    OPEN_SCOPES.get(catalogue) ?? Object.keys(catalogue).filter((name) => !catalogue[name]?.restricted)
  OPEN_SCOPES.set(catalogue, open)
  return open
}

/** The scopes of an authorization request: they exist, and lie below the ceiling. @throws OAuthError `invalid_scope` */
export function requestedScopes(
  scope: string,
  catalogue: ScopeCatalogue,
  ceiling?: readonly string[],
): readonly string[] {
  const names = namesOf(scope)
  const unknown = names.find((name) => !Object.hasOwn(catalogue, name))?.slice(0, 100)
  if (unknown !== undefined)
    throw new OAuthError(SCOPE_ERRORS.scope_unknown, `Unknown scope ${unknown}. See scopes_supported`, {
      parameters: { scope: unknown },
    })
  if (ceiling !== undefined && !includesAll(ceiling, names))
    throw new OAuthError(SCOPE_ERRORS.scope_not_registered)
  return names
}

/** How a `scope` parameter is read. */
export interface ScopeOptions {
  /** The scope of a request that names none, of a client that registered none. Default: such a request is refused. */
  readonly defaultScope?: string | undefined
  /**
   * How scopes outside the catalogue are treated. Default `refuse`, which names the first of them; `offline_access` is
   * always ignored, because many libraries request refresh tokens by it.
   */
  readonly unknownScopes?: 'refuse' | 'ignore' | undefined
}

export interface ScopesOfRequest {
  readonly scopes: readonly string[]
  /** Names in `scope` that are no scopes here. */
  readonly ignoredScopes: readonly string[]
}

const OFFLINE_ACCESS = 'offline_access'

/** The scopes that a client requests of a user. @throws OAuthError `invalid_scope` or `invalid_request` */
export function scopesOfRequest(
  catalogue: ScopeCatalogue,
  options: ScopeOptions,
  client: Client,
  requested: string | undefined,
): ScopesOfRequest {
  const ceiling = scopeCeiling(client, catalogue)
  const ignoredScopes = ignoredIn(requested, catalogue, options)
  const named = requested?.split(' ').filter((name) => !ignoredScopes.includes(name))
  const scope =
    named?.join(' ') || defaultOf(client, ceiling ?? Object.keys(catalogue)) || options.defaultScope
  if (scope === undefined) throw new OAuthError(SCOPE_ERRORS.scope_missing)
  return { scopes: requestedScopes(scope, catalogue, ceiling), ignoredScopes }
}

/** The scopes that a self-registered client registered and may still request. */
function defaultOf({ origin, scopes }: Client, allowed: readonly string[]): string | undefined {
  return origin === 'registered' ? scopes?.filter((name) => allowed.includes(name)).join(' ') : undefined
}

function ignoredIn(
  scope = '',
  catalogue: ScopeCatalogue,
  { unknownScopes }: ScopeOptions,
): readonly string[] {
  const unknown = parseScope(scope)?.filter((name) => !Object.hasOwn(catalogue, name)) ?? []
  return unknownScopes === 'ignore' ? unknown : unknown.filter((name) => name === OFFLINE_ACCESS)
}

/**
 * The scopes of a refresh: a part of the granted ones; all of them if it names none (RFC 6749 6). Many clients repeat their
 * first request, so a scope that was requested and withheld is left out and not refused.
 *
 * @throws OAuthError `invalid_scope`
 */
export function narrowedScopes(
  scope: string | undefined,
  granted: readonly string[],
  withheld: readonly string[] = [],
): readonly string[] {
  if (scope === undefined) return granted
  const names = namesOf(scope)
  const narrowed = partOf(granted, names)
  if (narrowed.length === 0 || !includesAll([...narrowed, ...withheld], names))
    throw new OAuthError(SCOPE_ERRORS.scope_not_granted)
  return narrowed
}

function namesOf(scope: string): readonly string[] {
  const names = parseScope(scope)
  if (names === undefined) throw new OAuthError(SCOPE_ERRORS.scope_malformed)
  return names
}

/**
 * The requested part of a stored list, and the list itself if that is all of it. A token keeps the result: a list made from the
 * request would keep the text of the request in memory.
 */
export function partOf(stored: readonly string[], requested: readonly string[]): readonly string[] {
  const part = stored.filter((name) => requested.includes(name))
  // A filtered list has spare places.
  return part.length === stored.length ? stored : part.slice()
}

export function includesAll(held: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((name) => held.includes(name))
}

/** The scopes that can be requested without a user: those of OpenID Connect (Core 5.4 and 11) are about one. */
export function scopesWithoutUser(catalogue: ScopeCatalogue): readonly string[] {
  const ofUser = [...CLAIM_SCOPES, 'offline_access']
  return Object.keys(catalogue).filter((name) => catalogue[name]?.user !== true && !ofUser.includes(name))
}
