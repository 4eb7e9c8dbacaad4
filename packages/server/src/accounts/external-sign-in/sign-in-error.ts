import type { ExternalSignInReason } from '../../events.ts'

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
