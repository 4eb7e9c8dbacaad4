import type { HttpRequest, HttpResponse } from '@grantkit/core'

/** The JSON answers of the school API and the service's own documents. */
export function json(status: number, body: unknown, headers: HttpResponse['headers'] = {}): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** The error body that the whole service shares (RFC 6749 5.2). */
export function jsonError(
  status: number,
  error: string,
  description: string,
  headers: HttpResponse['headers'] = {},
): HttpResponse {
  return json(status, { error, error_description: description }, { 'cache-control': 'no-store', ...headers })
}

export function methodNotAllowed(allowed: readonly string[]): HttpResponse {
  return jsonError(405, 'invalid_request', 'This method is not allowed here', { allow: allowed.join(', ') })
}

/** 303: the browser does not post a form again at the target. */
export function seeOther(location: string, headers: HttpResponse['headers'] = {}): HttpResponse {
  return { status: 303, headers: { location, 'cache-control': 'no-store', ...headers }, body: '' }
}

export function headerOf(request: HttpRequest, name: string): string {
  const value = request.headers[name]
  return (Array.isArray(value) ? value.join(', ') : value) ?? ''
}

/** No page has more fields, and thousands of names take milliseconds to sort. */
const MOST_FIELDS = 100

/** The fields of a form; the last one if a field is repeated. A form with too many counts as empty. */
export function formOf(request: HttpRequest): Record<string, string> {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headerOf(request, 'content-type'))
  const fits = request.body.split('&', MOST_FIELDS + 1).length <= MOST_FIELDS
  return isForm && fits ? Object.fromEntries(new URLSearchParams(request.body)) : {}
}

/** The value of a text; `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
