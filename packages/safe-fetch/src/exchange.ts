import { once } from 'node:events'
import { type IncomingMessage, request as startRequest } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { DocumentFetchResponse } from '@grantkit/core'
import { FetchFailure } from './fetch-failure.ts'

const MAX_HEADER_BYTES = 8 * 1024
/** Interim answers (103 Early Hints) before the answer. Each has headers of its own, and they could go on for ever. */
const MAX_INTERIM_ANSWERS = 4

export interface DocumentRequest {
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** One GET on a connection of its own. The body of an answer other than 200 is not read, and is empty. */
export async function exchange(
  connection: TLSSocket,
  request: DocumentRequest,
): Promise<DocumentFetchResponse> {
  try {
    const answer = await answerTo(connection, request)
    const status = answer.statusCode ?? 0
    const body = status === 200 ? await bodyOf(answer, request.maxBytes) : ''
    return { status, headers: headersOf(answer), body }
  } catch (thrown) {
    request.signal.throwIfAborted()
    throw thrown instanceof FetchFailure ? thrown : transportFailure(thrown)
  }
}

async function answerTo(
  connection: TLSSocket,
  { path, headers, signal }: DocumentRequest,
): Promise<IncomingMessage> {
  const request = startRequest({
    // With a connection of its own there is no agent: no pool, no proxy, nothing kept.
    createConnection: () => connection,
    path,
    headers,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  })
  let interim = 0
  request.on('information', () => {
    interim += 1
    if (interim > MAX_INTERIM_ANSWERS) request.destroy(new FetchFailure('size', 'Too many interim answers'))
  })
  request.on('error', () => {})
  request.end()
  const [answer] = await once(request, 'response', { signal })
  return answer
}

async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const coding = answer.headers['content-encoding'] ?? 'identity'
  if (coding.toLowerCase() !== 'identity')
    throw new FetchFailure('encoding', `The body is encoded: ${coding}`)
  const tooLarge = new FetchFailure('size', `The body is larger than ${maxBytes} bytes`)
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge
    chunks.push(chunk)
  }
  return decoded(Buffer.concat(chunks))
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (thrown) {
    throw new FetchFailure('encoding', 'The body is not UTF-8', thrown)
  }
}

function headersOf({ headersDistinct }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
  )
}

function transportFailure(thrown: unknown): FetchFailure {
  const { code, message } = thrown as NodeJS.ErrnoException
  if (code === 'HPE_HEADER_OVERFLOW')
    return new FetchFailure('size', `The headers are larger than ${MAX_HEADER_BYTES} bytes`, thrown)
  return new FetchFailure('connect', `The answer broke off: ${message}`, thrown)
}
