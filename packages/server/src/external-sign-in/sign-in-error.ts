/** Why a sign-in by the application failed. */
export type ExternalSignInReason =
  /** The application returned an error. */
  | 'denied'
  /** The response is not signed by the application for this server, or lacks something. */
  | 'invalid'
  /** The keys of the application could not be fetched. */
  | 'unreachable'
  /** Not started in this browser within the last ten minutes, too late, or used already. */
  | 'expired'
  /** A new sign-in was required, and the application returned an earlier one. */
  | 'not_fresh'
  /** The page to which the user returns is too long for a cookie. */
  | 'too_long'

export class ExternalSignInError extends Error {
  readonly reason: ExternalSignInReason
  /** For the log: what is wrong with the response. */
  readonly detail: string

  constructor(reason: ExternalSignInReason, detail = '', options?: ErrorOptions) {
    super(`Sign-in by the application: ${reason}`, options)
    this.name = 'ExternalSignInError'
    this.reason = reason
    this.detail = detail.slice(0, 200)
  }
}
