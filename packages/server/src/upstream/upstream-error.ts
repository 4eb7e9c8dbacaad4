import type { UpstreamReason } from '../events.ts'

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
