import type { HttpResponse } from '@grantkit/core'
import { overFetch, type Send } from '@grantkit/testkit/client'

/**
 * For `formBrowser`: a redirect to the application is followed there, with the cookies of the application, until it
 * leads elsewhere.
 *
 * @param origin of the application
 */
export function throughApplication(origin: string, send: Send = overFetch()): Send {
  const cookies = new Map<string, string>()

  async function visit(url: string): Promise<HttpResponse> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await send(url, { method: 'GET', headers: { cookie }, body: '' })
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const { location } = response.headers
    if (location === undefined) throw new Error(`The application shows ${response.status} ${response.body}`)
    const next = new URL(String(location), url)
    return next.origin === origin ? visit(next.href) : { ...response, headers: { location: next.href } }
  }

  return async (url, request) => {
    const response = await send(url, request)
    const location = String(response.headers.location ?? '')
    if (!location.startsWith(`${origin}/`)) return response
    const { headers } = await visit(location)
    return { ...response, headers: { ...response.headers, ...headers } }
  }
}
