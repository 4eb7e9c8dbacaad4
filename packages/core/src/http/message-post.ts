/** The port by which messages go to URLs of others. Core has no I/O; `safePost` of `@grantkit/safe-fetch` fulfils it. */

interface MessagePostRequest {
  /** With `content-type`. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Aborted at the deadline of the caller. */
  readonly signal: AbortSignal
}

export interface MessagePostResponse {
  /** As it was sent: a redirect is an answer, and is not followed. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Sends one message by POST, and does not read the body of the answer. The address is that of a client, so an implementation
 * promises what `DocumentFetch` promises: it reaches only public addresses, verifies the certificate for the name, follows no
 * redirect, and sends no cookie and no credential of this server.
 *
 * It resolves for every status, and rejects with an Error whose `code` is a `DocumentFetchFault`.
 */
export type MessagePost = (url: string, request: MessagePostRequest) => Promise<MessagePostResponse>
