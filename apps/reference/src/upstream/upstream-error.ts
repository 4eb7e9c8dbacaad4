/** Why a sign-in with a provider did not come about. */
export type UpstreamReason =
  /** The user said no there, or the provider did. */
  | 'denied'
  /** No answer of the provider, or one that is none. */
  | 'unreachable'
  /** Not begun in this browser in the last ten minutes, or finished before. */
  | 'expired'
  /** A fresh sign-in was asked for, and the provider does not vouch for one. */
  | 'not_fresh'

export class UpstreamError extends Error {
  readonly reason: UpstreamReason
  /** For the operator: the error code of the provider, or what went wrong on the way. */
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
