/**
 * One operation of a history: a request that a process sent, and what it got. A history is a list of them, one JSON object
 * on each line. Credentials are salted hashes, so no file of a history has a secret.
 */

/** What a request does to a grant. */
export type OperationKind =
  | 'approve'
  | 'deny'
  | 'redeem'
  | 'poll'
  | 'refresh'
  | 'exchange'
  | 'use'
  | 'introspect'
  | 'revoke'
  | 'logout'

/**
 * How it ended. `ok`: the server did it. `fail`: the server refused, which may still have an effect, since a replay ends the
 * grant. `info`: no answer, a torn answer or a 5xx, so it may or may not have happened.
 */
export type OperationResult = 'ok' | 'fail' | 'info'

export interface Operation {
  /** Its place in the history, from 0. */
  readonly id: number
  /** Who sent it, such as `app`, `app-2` or `thief`. One process waits for its answer before it sends again. */
  readonly process: string
  /** The base URL of the replica that got it. */
  readonly replica?: string | undefined
  readonly f: OperationKind
  /** The grant that it concerns. */
  readonly family: string
  /** The credential that it presents: a salted hash. Absent for an approval. */
  readonly key?: string | undefined
  /** The credentials that it brought, as salted hashes. */
  readonly code?: string | undefined
  readonly access?: string | undefined
  readonly refresh?: string | undefined
  readonly result: OperationResult
  /** The status of the answer. Absent without one. */
  readonly status?: number | undefined
  /** The OAuth error code of the answer. */
  readonly error?: string | undefined
  /** `use` and `introspect`: whether the token was accepted. */
  readonly active?: boolean | undefined
  /** The answer arrived, and the acting client did not see it, so it may retry. */
  readonly forgotten?: true | undefined
  /**
   * Why the server must refuse this request whatever the state of the grant, such as `a wrong PKCE verifier` or
   * `another client`. Such a refusal may end the grant.
   */
  readonly forbidden?: string | undefined
  /** The `Date` header of the answer minus the clock of the kit, in milliseconds. */
  readonly skew?: number | undefined
  /** How long the code (of an approval) or the access token that it brought lives, in seconds. */
  readonly expiresIn?: number | undefined
  /** Milliseconds of a monotonic clock: when the last byte left, and when the answer was complete (or given up). */
  readonly invoked: number
  readonly returned: number
}
