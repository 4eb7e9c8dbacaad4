import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'

/** Where a server of this process listens. */
export interface Addressed {
  readonly baseUrl: string
  readonly port: number
}

export interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly form?: Record<string, string> | [string, string][]
  readonly json?: unknown
}

export interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/**
 * Sends a request like a proxy that ends TLS: to the server's port, with its public name as the host. Does not follow
 * redirects.
 */
export function rawRequest({ port, baseUrl }: Addressed, sent: Sent): Promise<Received> {
  const { method = 'GET', path, form, json } = sent
  const type = form ? 'application/x-www-form-urlencoded' : json ? 'application/json' : undefined
  const headers = {
    host: new URL(baseUrl).host,
    ...(type === undefined ? {} : { 'content-type': type }),
    ...sent.headers,
  }
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, async (response) => {
    const body = (await response.setEncoding('utf8').toArray()).join('')
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
  })
  request.on('error', reject).end(form ? String(new URLSearchParams(form)) : json && JSON.stringify(json))
  return promise
}
