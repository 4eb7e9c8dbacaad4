/** Why a sign-in with a provider failed. */
export type UpstreamReason =
  /** The user or the provider denied it. */
  | 'denied'
  /** The provider did not respond, or its response is invalid. */
  | 'unreachable'
  /** Not started in this browser within the last ten minutes, or completed already. */
  | 'expired'
  /** A new sign-in was required, and the provider did not confirm one. */
  | 'not_fresh'
  /** The address to which the user would return does not fit into a cookie. */
  | 'too_long'

export class UpstreamError extends Error {
  readonly reason: UpstreamReason
  /** For the log: the error code of the provider, or the failure. */
  readonly detail: string

  constructor(reason: UpstreamReason, options?: ErrorOptions) {
    super(`Sign-in with a provider: ${reason}`, options)
    this.name = 'UpstreamError'
    this.reason = reason
    this.detail = detailOf(options?.cause)
  }
}

function detailOf(cause: unknown): string {
  const { error, message } = Object(cause) as { error?: unknown; message?: unknown }
  return String(error ?? message ?? '').slice(0, 200)
}
