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
