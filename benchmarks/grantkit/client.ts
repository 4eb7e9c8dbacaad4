import type { HttpResponse } from '@grantkit/core'
import { authorizationQuery, CLIENT_METADATA, REDIRECT_URI, SUBJECT, VERIFIER } from '../src/sample.ts'
import type { Service } from './service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Routes = Pick<Service['server'], 'routes'>

/** The browser of a signed-in user, and how it reads a consent page. */
export interface UserAgent {
  cookieOf(subject: string): string
  ticketOn(page: string): string
}

/** Of the quick start: the page is only the ticket. */
const PLAIN: UserAgent = { cookieOf: (subject) => `user=${subject}`, ticketOn: (page) => page }

/** A client and its user in the process of the server: they call its routes directly. */
export class Client {
  readonly #server: Routes
  readonly #browser: UserAgent
  readonly clientId: string
  #codes = 0

  static async register(server: Routes, metadata: object = {}, browser = PLAIN): Promise<Client> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ ...CLIENT_METADATA, ...metadata })
    const answer = await send(server, 'POST', '/api/oauth/register', { headers, body })
    return new Client(server, JSON.parse(answer.body).client_id, browser)
  }

  private constructor(server: Routes, clientId: string, browser: UserAgent) {
    this.#server = server
    this.#browser = browser
    this.clientId = clientId
  }

  /** A user signs in and allows everything. A user and a client have a hundred grants at most. */
  async code(
    scope: string,
    subject = `${SUBJECT}-${Math.floor(this.#codes++ / 100)}`,
    more: Record<string, string> = {},
  ): Promise<string> {
    const query = authorizationQuery(this.clientId, { scope, ...more })
    const cookie = this.#browser.cookieOf(subject)
    const page = await send(this.#server, 'GET', '/oauth/authorize', { query, headers: { cookie } })
    const form = new URLSearchParams({ ticket: this.#browser.ticketOn(page.body), decision: 'allow' })
    for (const allowed of scope.split(' ')) form.append('scope', allowed)
    const consent = { query, headers: { cookie, ...FORM }, body: String(form) }
    const answer = await send(this.#server, 'POST', '/oauth/consent', consent)
    const location = String(answer.headers.location)
    const code = new URL(location).searchParams.get('code')
    if (code === null) throw new Error(`The user was sent back without a code: ${location}`)
    return code
  }

  /** @param asked more parameters of the authorization request @param headers of the token request */
  async tokens(
    scope: string,
    subject?: string,
    { asked, headers }: { asked?: Record<string, string>; headers?: Record<string, string> } = {},
  ): Promise<{ access_token: string; refresh_token: string }> {
    const form = {
      grant_type: 'authorization_code',
      client_id: this.clientId,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
      code: await this.code(scope, subject, asked),
    }
    const body = String(new URLSearchParams(form))
    const sent = { headers: { ...FORM, ...headers }, body }
    return JSON.parse((await send(this.#server, 'POST', '/api/oauth/token', sent)).body)
  }
}

interface Message {
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

export async function send(
  server: Routes,
  method: string,
  path: string,
  { query = '', headers = {}, body = '' }: Message,
): Promise<HttpResponse> {
  const route = server.routes.find((candidate) => candidate.path === path)
  if (route === undefined) throw new Error(`There is no route ${path}`)
  const answer = await route.handle({ method, path, query, headers, body })
  if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`)
  return answer
}
