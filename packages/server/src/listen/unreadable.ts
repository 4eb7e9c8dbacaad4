import type { Duplex } from 'node:stream'

/** The status for Node's error about an unparsable request. */
const STATUS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const BODY = JSON.stringify({ error: 'invalid_request', error_description: 'This is not an HTTP request' })

/** Rejects an unparsable request in the usual error format, and closes the connection. For `clientError`. */
export function refuseUnreadable({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const lines = [
    `HTTP/1.1 ${STATUS[code] ?? '400 Bad Request'}`,
    ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${BODY.length}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${BODY}`, () => socket.destroy())
}

/** The same for a request whose Host and target form no URL. */
export function unreadable(): Response {
  return new Response(BODY, { status: 400, headers: HEADERS })
}
