import { BASE_URL, openService } from './service.ts'
import { type Answer, type Ask, exchangeText } from './transcript.ts'

/** A browser or a client: keeps cookies, and records its requests and answers. */
export interface Visitor {
  get(path: string, headers?: Ask['headers']): Promise<Answer>
  /** Sends a form; a list of pairs may name a field twice. */
  post(path: string, fields: Fields, headers?: Ask['headers']): Promise<Answer>
  json(method: string, path: string, value: unknown, headers?: Ask['headers']): Promise<Answer>
  send(ask: Ask): Promise<Answer>
  /** The exchanges recorded so far. */
  readonly exchanges: readonly string[]
}

export type Fields = Record<string, string> | [string, string][]

export async function newVisitor(): Promise<Visitor> {
  const handle = await openService()
  const cookies = new Map<string, string>()
  const exchanges: string[] = []

  async function send(ask: Ask): Promise<Answer> {
    const response = await handle(requestOf(ask, cookieHeader(cookies)))
    for (const line of response.headers.getSetCookie()) keep(cookies, line)
    const answer = { status: response.status, headers: response.headers, body: await response.text() }
    exchanges.push(exchangeText(ask, answer))
    return answer
  }
  return {
    send,
    exchanges,
    get: (path, headers = {}) => send({ method: 'GET', path, headers }),
    post: (path, fields, headers = {}) => {
      const body = String(new URLSearchParams(fields))
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      return send({ method: 'POST', path, body, headers: { ...type, ...headers } })
    },
    json: (method, path, value, headers = {}) => {
      const body = JSON.stringify(value)
      return send({ method, path, body, headers: { 'content-type': 'application/json', ...headers } })
    },
  }
}

function requestOf({ method, path, headers = {}, body }: Ask, cookie: Ask['headers']): Request {
  return new Request(BASE_URL + path, {
    method,
    headers: { host: new URL(BASE_URL).host, ...cookie, ...headers },
    ...(body === undefined ? {} : { body }),
  })
}

function cookieHeader(cookies: ReadonlyMap<string, string>): Record<string, string> {
  if (cookies.size === 0) return {}
  return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (value === '') cookies.delete(name)
  else cookies.set(name, value)
}
