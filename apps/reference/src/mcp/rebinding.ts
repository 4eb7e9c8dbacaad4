import type { HttpRequest, HttpResponse } from '@grantkit/core'
import { headerOf, jsonError } from '../http.ts'

/**
 * Stops pages of other sites that reach this server through the user's browser under their own host name (DNS
 * rebinding). The Host must be ours, and an Origin must be ours or of an app on this device.
 */
export function rebindingRefusal(request: HttpRequest, baseUrl: string): HttpResponse | undefined {
  const { host } = new URL(baseUrl)
  if (headerOf(request, 'host').toLowerCase() !== host) return refused('Host')
  const origin = headerOf(request, 'origin')
  return origin === '' || isAllowedOrigin(origin, baseUrl) ? undefined : refused('Origin')
}

/** Lets an app in a browser read the answer: names its own origin, never `*`. */
export function corsFor(request: HttpRequest): Record<string, string> {
  const origin = headerOf(request, 'origin')
  if (origin === '') return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id',
    vary: 'Origin',
  }
}

const LOOPBACK_ORIGIN = /^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/

function isAllowedOrigin(origin: string, baseUrl: string): boolean {
  return origin === new URL(baseUrl).origin || LOOPBACK_ORIGIN.test(origin)
}

function refused(header: string): HttpResponse {
  return jsonError(403, 'access_denied', `The ${header} header is not one that this server answers to`)
}
