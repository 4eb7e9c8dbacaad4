import type { DocumentFetchFault } from '@grantkit/core/client-documents'

/** Why there is no answer. The message is for the operator. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure'
  readonly code: DocumentFetchFault

  constructor(code: DocumentFetchFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}
