import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request as it goes over the wire. Only Host, Connection and the framing of the body are added. */
export interface RawRequest {
  readonly method?: string
  /** Path and query, unchanged. */
  readonly target: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
  /** Sends the body in chunks, without its length. */
  readonly chunked?: boolean
}

export interface RawResponse {
  readonly status: number
  /** In the order and spelling on the wire, with repeats. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Sends a request without a client library that would correct it. */
export async function send(url: string, raw: RawRequest): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  const { method = 'GET', target: path, body = '' } = raw
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = httpRequest({
      hostname,
      port,
      method,
      path,
      headers: headerLines(url, raw),
      agent: false,
    })
    // A server that refuses a long body may close the connection during the upload; its answer counts.
    outgoing.on('response', resolve).on('error', reject)
    outgoing.end(body)
  })
  const { statusCode: status = 0, rawHeaders } = response
  return { status, headers: pairs(rawHeaders), body: await text(response) }
}

/** Writes text to the server, and returns all it answers until the connection ends. */
export async function exchange(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(request)
  return text(socket)
}

/** The values of a header, in the order they were sent. */
export function values(response: RawResponse, name: string): string[] {
  return response.headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value)
}

/** Node sends a flat list of names and values unchanged. */
function headerLines(url: string, { headers = [], body = '', chunked = false }: RawRequest): string[] {
  const length = Buffer.byteLength(body)
  const framing = chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', `${length}`]
  const bodiless = length === 0 && !chunked
  return ['Host', new URL(url).host, 'Connection', 'close', ...headers.flat(), ...(bodiless ? [] : framing)]
}

function pairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  const found: [string, string][] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    found.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
  }
  return found
}
