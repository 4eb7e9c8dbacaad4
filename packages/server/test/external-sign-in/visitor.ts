import type { HttpResponse } from '@grantkit/core'
import { overFetch, type Send } from '@grantkit/testkit/client'

/** A browser at the pages of a server: keeps cookies and follows redirects. A form is a POST. */
export function visitor(baseUrl: string, send: Send = overFetch()) {
  const cookies = new Map<string, string>()
  return async function visit(path: string, form?: Record<string, string>): Promise<HttpResponse> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const body = form === undefined ? '' : String(new URLSearchParams(form))
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const method = form === undefined ? 'GET' : 'POST'
    const response = await send(new URL(path, baseUrl).href, { method, headers, body })
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const { location } = response.headers
    return location === undefined ? response : visit(String(location))
  }
}
