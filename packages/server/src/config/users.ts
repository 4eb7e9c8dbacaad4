import type { JSONWebKeySet } from 'jose'
import { isSafeUrl } from './fields.ts'

/** Where the application sends the browser back to, below the base URL. */
export const CALLBACK_PATH = '/login/external/callback'

/** How the application signs its users in. Exactly one of `key` and `keys` is required. */
export interface ExternalSignInOptions {
  /**
   * The page of the application to which browsers are sent, on https or localhost. In the messages it is the name of the
   * application: `aud` of a request, `iss` of a response.
   */
  readonly url: string
  /**
   * A secret of at least 32 bytes that only this server and the application have: both sign with HS256. Read it from
   * the environment.
   */
  readonly key?: string | undefined
  /**
   * The public keys of the application instead: the URL of its JWK Set on https or localhost, or the set. This server
   * signs its requests with its own signing key, which its `jwks_uri` publishes.
   */
  readonly keys?: string | JSONWebKeySet | undefined
  /**
   * Whether the application still has the user. It is called at every refresh and for every session. `false` ends the
   * grants of the user at the next refresh; an error or no response within 5 seconds is `temporarily_unavailable`.
   */
  readonly check?: ((sub: string) => Promise<boolean>) | undefined
  /** Seconds for which a response of `check` is used again. Default: 60. */
  readonly checkSeconds?: number | undefined
}

/** The users of an application that signs them in itself. */
export interface ExternalUsers extends ExternalSignInOptions {
  readonly kind: 'external'
  readonly checkSeconds: number
}

const MIN_KEY_BYTES = 32
const EXACTLY_ONE =
  'users: externalSignIn needs either key (a shared secret, such as EXTERNAL_SIGN_IN_KEY) or keys (a JWK Set), and not both'
/** Members of private and symmetric keys (RFC 7518 6). */
const SECRET_MEMBERS = ['d', 'k']

/**
 * The users are those of your application: it signs them in, and its user ids are the subjects of all tokens.
 *
 * @throws Error that names the option at fault, without the key
 *
 * @example
 * ```ts
 * import { externalSignIn } from '@grantkit/server'
 *
 * export const users = externalSignIn({
 *   url: 'https://app.example/grantkit/sign-in',
 *   key: process.env.EXTERNAL_SIGN_IN_KEY,
 * })
 * ```
 */
export function externalSignIn(options: ExternalSignInOptions): ExternalUsers {
  const { url, key, keys, checkSeconds = 60 } = options
  requireSafeUrl('url', url)
  if ((key === undefined) === (keys === undefined)) throw new Error(EXACTLY_ONE)
  if (key !== undefined && Buffer.byteLength(key) < MIN_KEY_BYTES)
    throw new Error(
      `users: key of externalSignIn has ${Buffer.byteLength(key)} bytes; it must have at least ${MIN_KEY_BYTES}, as "openssl rand -base64 32" makes them`,
    )
  if (typeof keys === 'string') requireSafeUrl('keys', keys)
  else if (keys !== undefined) requirePublicKeys(keys)
  if (!(checkSeconds >= 0))
    throw new Error(
      `users: checkSeconds of externalSignIn must be a number of seconds, at least 0, not ${checkSeconds}`,
    )
  return { ...options, checkSeconds, kind: 'external' }
}

function requireSafeUrl(name: string, url: string): void {
  if (!isSafeUrl(url) || /[?#]/.test(url))
    throw new Error(
      `users: ${name} of externalSignIn must be an https URL without query and fragment, or one of localhost, not ${url}`,
    )
}

/** A private key here would be a leak, and a symmetric one could sign responses. */
function requirePublicKeys({ keys }: JSONWebKeySet): void {
  if (!Array.isArray(keys) || keys.length === 0)
    throw new Error('users: keys of externalSignIn must be a URL, or a JWK Set with at least one key')
  if (keys.some((key) => SECRET_MEMBERS.some((member) => Object.hasOwn(key, member))))
    throw new Error('users: keys of externalSignIn must be public keys')
}

/** A user of a directory. Members other than `sub` are claims (OpenID Connect Core 5.1), such as `email`. */
export interface DirectoryUser {
  /** The id of the user in the directory, at most 255 ASCII characters. It never changes, and is never reused. */
  readonly sub: string
  readonly name?: string | undefined
  readonly [claim: string]: unknown
}

export interface DirectoryOptions {
  /**
   * The user with this id, or `undefined` if the directory has none: then the user's grants end at the next refresh. It
   * is called for every session, refresh and request to UserInfo. If it throws, or has no result within 5 seconds, the
   * service is temporarily unavailable.
   */
  find(sub: string): Promise<DirectoryUser | undefined>
  /**
   * The user with this login name or e-mail address and password, or `undefined`. It has 5 seconds, like `find`. Sign-ins
   * are limited by network and login name, not by how many are checked at a time; take the same time for an unknown name
   * as for a wrong password.
   */
  verifyPassword(login: string, password: string): Promise<DirectoryUser | undefined>
}

/** The users of a directory, asked for by code. */
export interface DirectoryUsers {
  readonly kind: 'directory'
  readonly directory: DirectoryOptions
}

/**
 * The users are those of a directory of yours: the sign-in page asks it for the password, and its ids are the subjects
 * of all tokens.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts
 * import { directory } from '@grantkit/server'
 *
 * declare const people: { byId(id: string): Promise<{ name: string } | undefined>; login(name: string, password: string): Promise<string | undefined> }
 *
 * export const users = directory({
 *   async find(sub) {
 *     const person = await people.byId(sub)
 *     return person && { sub, name: person.name }
 *   },
 *   async verifyPassword(login, password) {
 *     const sub = await people.login(login, password)
 *     return sub === undefined ? undefined : { sub }
 *   },
 * })
 * ```
 */
export function directory(options: DirectoryOptions): DirectoryUsers {
  for (const name of ['find', 'verifyPassword'] as const)
    if (typeof options[name] !== 'function')
      throw new Error(`users: ${name} of directory must be a function, not ${typeof options[name]}`)
  return { kind: 'directory', directory: options }
}
