import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Requests over a connection each, which a server with several workers hands to one after the other. */

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string
}

/** @throws Error when there is no whole response */
export function exchange(url: string, sent?: Sent): Promise<Received> {
  return underWay(url, sent).received
}

/** A request that is sent, with its response. */
export function underWay(url: string, { body = '', ...sent }: Sent = {}) {
  const sending = request(url, { agent: false, ...sent }).end(body)
  const received = once(sending, 'response').then(
    async ([response]: IncomingMessage[]): Promise<Received> => {
      if (response === undefined) throw new Error('There is no response')
      const headers = response.headers as Received['headers']
      return { status: response.statusCode ?? 0, headers, body: await text(response) }
    },
  )
  const sentAll = once(sending, 'finish')
  // Who waits only for the response learns of an error there.
  sentAll.catch(() => {})
  return { sent: sentAll, received }
}

export function postForm(url: string, fields: Readonly<Record<string, string>>, cookie = '') {
  return exchange(url, formPost(fields, cookie))
}

export function formPost(fields: Readonly<Record<string, string>>, cookie: string): Sent {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie }
  return { method: 'POST', headers, body: String(new URLSearchParams(fields)) }
}

export function register(url: string): Promise<Received> {
  const body = JSON.stringify({
    client_name: 'An app',
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  })
  const headers = { 'content-type': 'application/json' }
  return exchange(`${url}/api/oauth/register`, { method: 'POST', headers, body })
}

/** As `name=value; …`, for the next request. */
export function cookiesOf({ headers }: Received): string {
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ')
}
