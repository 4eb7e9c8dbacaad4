import type { AuthorizationServer, HttpRequest, HttpResponse } from '@grantkit/core'
import { routeFinder } from '@grantkit/core/adapter'

/** A request of the client or its browser. Only headers of the connection are added. */
export type ClientRequest = Pick<HttpRequest, 'method' | 'headers' | 'body' | 'remoteAddress' | 'native'>

/** Sends a request to the server and returns its answer; redirects are not followed. @param url absolute */
export type Send<R extends HttpResponse = HttpResponse> = (url: string, request: ClientRequest) => Promise<R>

const A_GET: ClientRequest = { method: 'GET', headers: {}, body: '' }

/** The part of the server that a client sees. */
export type ServerUnderTest = Pick<AuthorizationServer, 'issuer' | 'routes'>

/**
 * Sends to a server in this process; without a request, a GET.
 *
 * @throws Error for an unknown path
 *
 * @example
 * ```ts with:server
 * import { inProcess } from '@grantkit/testkit/client'
 *
 * const send = inProcess(server)
 * const metadata = await send(`${issuer}/.well-known/oauth-authorization-server`)
 * ```
 */
export function inProcess({
  routes,
}: Pick<ServerUnderTest, 'routes'>): (url: string, request?: ClientRequest) => Promise<HttpResponse> {
  const routeAt = routeFinder(routes)
  return (url, request = A_GET) => {
    const { pathname: path, search } = new URL(url)
    const route = routeAt(path)
    if (route === undefined) throw new Error(`The server has no route ${path}`)
    return route.handle({ ...request, headers: lowerCase(request.headers), path, query: search.slice(1) })
  }
}

/** As a framework gives them to a server. */
function lowerCase(headers: ClientRequest['headers']): ClientRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Sends with `fetch`, without following redirects. @param timeout milliseconds; a later answer is an error
 *
 * @example
 * ```ts
 * import { overFetch } from '@grantkit/testkit/client'
 *
 * const send = overFetch({ timeout: 5000 })
 * const answer = await send('https://auth.example/healthz', { method: 'GET', headers: {}, body: '' })
 * ```
 */
export function overFetch({ timeout }: { readonly timeout?: number | undefined } = {}): Send {
  return async (url, { method, headers, body }) => {
    const lines = Object.entries(headers).flatMap(([name, value = []]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    )
    const signal = timeout === undefined ? null : AbortSignal.timeout(timeout)
    const sent = { method, headers: lines, redirect: 'manual', body: body || null, signal } as const
    return recordOf(await fetch(url, sent))
  }
}

async function recordOf(response: Response): Promise<HttpResponse> {
  const cookies = response.headers.getSetCookie()
  return {
    status: response.status,
    headers: {
      ...Object.fromEntries(response.headers),
      ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}),
    },
    body: await response.text(),
  }
}
