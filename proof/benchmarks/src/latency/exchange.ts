import { get } from '../requests.ts'

export interface Answer {
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  readonly body: string
}

/** What a user waits for, again and again: one request at a time, or one and the redirects after it. */
export interface Exchange {
  first(): Buffer
  /** @returns the request that follows the answer, or `undefined` if the user has what they waited for @throws Error if the answer is wrong */
  next(answer: Answer): Buffer | undefined
}

export const EXCHANGES = {
  refresh: (request: string): Exchange => new Rotation(request),
  consent: (request: string): Exchange => new PageView(request),
} as const

export type ExchangeName = keyof typeof EXCHANGES

/** Refreshes one grant, each time with the refresh token of the last response. */
class Rotation implements Exchange {
  #request: string

  constructor(request: string) {
    this.#request = request
  }

  first(): Buffer {
    return Buffer.from(this.#request)
  }

  next({ status, body }: Answer): undefined {
    const { refresh_token } = status === 200 ? JSON.parse(body) : {}
    if (typeof refresh_token !== 'string' || this.#request.includes(refresh_token))
      throw new Error(`A refresh was answered with ${status}: ${body.slice(0, 500)}`)
    const [head = '', form = ''] = this.#request.split('\r\n\r\n')
    const parameters = new URLSearchParams(form)
    parameters.set('refresh_token', refresh_token)
    const length = `content-length: ${Buffer.byteLength(String(parameters))}`
    this.#request = `${head.replace(/content-length: \d+/, length)}\r\n\r\n${parameters}`
  }
}

/** A page that asks who the user is comes before the consent page. */
const SIGN_IN = /type="password"/i

/** The most redirects from an authorization request to its page. */
const MAX_REDIRECTS = 5

/** A signed-in browser opens the consent page, and follows redirects to it. */
class PageView implements Exchange {
  readonly #request: string
  #redirects = 0

  constructor(request: string) {
    this.#request = request
  }

  first(): Buffer {
    this.#redirects = 0
    return Buffer.from(this.#request)
  }

  next({ status, head, body }: Answer): Buffer | undefined {
    if (status === 200 && /<form/i.test(body) && !SIGN_IN.test(body)) return undefined
    const location = /\r\nlocation: *(\S+)/i.exec(head)?.[1]
    const url = location && URL.parse(location, `http://${headerOf(this.#request, 'host')}`)
    if (status < 300 || status > 399 || !url || this.#redirects++ === MAX_REDIRECTS)
      throw new Error(`An authorization request was answered with ${status}: ${head}\n${body.slice(0, 500)}`)
    const cookie = withNewCookies(headerOf(this.#request, 'cookie'), head)
    return Buffer.from(get(url.pathname + url.search, { host: headerOf(this.#request, 'host'), cookie }))
  }
}

function headerOf(head: string, name: string): string {
  return new RegExp(`\\r\\n${name}: *([^\\r]+)`, 'i').exec(head)?.[1] ?? ''
}

/** @param cookies of the request @param head of its answer */
function withNewCookies(cookies: string, head: string): string {
  const found = head.matchAll(/\r\nset-cookie: *([^=;\r]+)=([^;\r]*)/gi)
  const jar = new Map(cookies.split('; ').map((cookie) => cookie.split(/=(.*)/s, 2) as [string, string]))
  for (const [, name = '', value = ''] of found) jar.set(name, value)
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}
