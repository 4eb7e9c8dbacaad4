/** The ports to URLs of others: for documents, and for messages. Core has no I/O; `@grantkit/safe-fetch` fulfils them. */

export interface DocumentFetchRequest {
  /** The value of `Accept`. */
  readonly accept: string
  /** The maximum size of the body in bytes, counted after any decoding. */
  readonly maxBytes: number
  /** Further request headers: validators such as `if-none-match`. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborted after ten seconds. */
  readonly signal: AbortSignal
}

export interface DocumentFetchResponse extends MessagePostResponse {
  /** Decoded from UTF-8. A byte order mark stays in it. */
  readonly body: string
}

/**
 * Why there is no answer: the name, the address behind it, TLS, the deadline, the size of the answer, an encoded or
 * undecodable body, or the connection. It is logged in an event; the browser never gets it.
 */
export type DocumentFetchFault = 'dns' | 'address' | 'tls' | 'timeout' | 'size' | 'encoding' | 'connect'

/**
 * Fetches one document by GET. An unauthenticated caller chose the address, so an implementation must promise all of this
 * (draft-ietf-oauth-client-id-metadata-document 8.6):
 *
 * - It resolves the name once, refuses it unless every address of it is public, and connects to one of those addresses.
 *   TLS is at least 1.2, and the certificate is verified for the name.
 * - It follows no redirect, requests no content encoding and refuses one, and rejects once a body exceeds `maxBytes`.
 *   Headers are bounded too.
 * - One deadline of a few seconds covers everything from the look-up of the name to the last byte.
 * - It sends no cookie, no credential, no `Referer` and nothing about the user, and takes no proxy from the environment.
 *
 * It resolves for every status, and rejects with an Error whose `code` is a `DocumentFetchFault`.
 */
export type DocumentFetch = (url: string, request: DocumentFetchRequest) => Promise<DocumentFetchResponse>

/** The result of a fetch (draft-ietf-oauth-client-id-metadata-document 5). */
export type FetchedDocument =
  | { readonly kind: 'document'; readonly members: Readonly<Record<string, unknown>> }
  /** The host has no such document, or it is not a JSON object. An approved copy must not be used any more. */
  | { readonly kind: 'gone'; readonly fault: string }
  /** An outage, a redirect or a bot wall. An approved copy may serve for some days. */
  | {
      readonly kind: 'unreachable'
      readonly fault: string
      /** The host answered in place of the document, as a bot wall does. */
      readonly withheld: boolean
    }

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i

/** @param maxBytes of the body */
export function fetchedDocument(
  { status, headers, body }: DocumentFetchResponse,
  maxBytes: number,
): FetchedDocument {
  if (status === 404 || status === 410) return { kind: 'gone', fault: `status ${status}` }
  if (status !== 200) {
    // A redirect, a bot wall or an outage says nothing about the document behind it.
    const redirects = status >= 300 && status < 400 && status !== 304
    const withheld = redirects || status === 403 || status === 429 || status >= 500
    return { kind: 'unreachable', fault: `status ${status}`, withheld }
  }
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  if (!JSON_TYPE.test(type)) return { kind: 'unreachable', fault: typeFault(type), withheld: true }
  if (encoding !== 'identity') return { kind: 'unreachable', fault: 'encoding', withheld: false }
  if (Buffer.byteLength(body) > maxBytes) return { kind: 'unreachable', fault: 'size', withheld: false }
  const members = jsonObject(body)
  return members === undefined ? { kind: 'gone', fault: 'no JSON object' } : { kind: 'document', members }
}

/** A page is that of a bot wall. Any other type is a mistake of the host, and stays. */
function typeFault(type: string): string {
  const [essence = 'none'] = /^[\w.+-]{1,50}\/[\w.+-]{1,50}(?=\s*(;|$))/.exec(type) ?? []
  return /html/i.test(essence) ? 'type' : `type ${essence}`
}

/** A byte order mark is not JSON. If a member is repeated, the last one counts. */
function jsonObject(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

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
  /** Names in lower case; a repeated header is joined by `, `. */
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
