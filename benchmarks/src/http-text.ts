/** Requests as HTTP/1.1 text, made before the clock runs. The caller adds the host. */

const FORM = 'application/x-www-form-urlencoded'

export function get(path: string, headers: Record<string, string> = {}): string {
  return message('GET', path, headers, '')
}

/** A GET with a bearer token (RFC 6750 2.1). */
export function bearerGet(path: string, token: string): string {
  return get(path, { authorization: `Bearer ${token}` })
}

export function postForm(path: string, form: Record<string, string>): string {
  return message('POST', path, { 'content-type': FORM }, String(new URLSearchParams(form)))
}

export function postJson(path: string, body: unknown, headers: Record<string, string> = {}): string {
  return message('POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body))
}

function message(method: string, path: string, headers: Record<string, string>, body: string): string {
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ accept: '*/*', ...headers, ...length })
  return [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', body].join(
    '\r\n',
  )
}

/** Adds the Host header, which depends on the port of the server. */
export function withHost(request: string, port: number): string {
  return request.replace('\r\n', `\r\nhost: 127.0.0.1:${port}\r\n`)
}
