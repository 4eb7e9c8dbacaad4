import type { AuthorizationServer, HttpResponse } from '@grantkit/core'
import {
  authorizationRequest,
  CLIENT_METADATA,
  codeForm,
  FORM,
  get,
  SCOPE,
  SUBJECT,
} from '../src/requests.ts'

export const TOKEN = '/api/oauth/token'

type Routes = Pick<AuthorizationServer, 'routes'>

/** The browser of a signed-in user. */
export interface UserAgent {
  cookieOf(subject: string): string
}

/** Of the quick start. */
const PLAIN: UserAgent = { cookieOf: (subject) => `user=${subject}` }

/** A client and its users in the process of the server: they call its routes directly. */
export class Client {
  readonly #server: Routes
  readonly #scope: string
  readonly #browser: UserAgent
  readonly clientId: string
  #codes = 0

  static async register(server: Routes, scope = SCOPE, browser = PLAIN): Promise<Client> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ ...CLIENT_METADATA, scope })
    const answer = await send(server, 'POST', '/api/oauth/register', { headers, body })
    return new Client(server, JSON.parse(answer.body).client_id, scope, browser)
  }

  private constructor(server: Routes, clientId: string, scope: string, browser: UserAgent) {
    this.#server = server
    this.#scope = scope
    this.#browser = browser
    this.clientId = clientId
  }

  /** The request of a signed-in browser for the consent page. */
  consentPage(): string {
    const query = String(new URLSearchParams(authorizationRequest(this.clientId, { scope: this.#scope })))
    return get(`/oauth/authorize?${query}`, { cookie: this.#browser.cookieOf(SUBJECT) })
  }

  /** A user signs in and allows everything, each a hundred times: the most grants that a user and a client have. */
  async code(more: Record<string, string> = {}): Promise<string> {
    const request = authorizationRequest(this.clientId, { scope: this.#scope, ...more })
    const query = String(new URLSearchParams(request))
    const cookie = this.#browser.cookieOf(`${SUBJECT}-${Math.floor(this.#codes++ / 100)}`)
    const page = await send(this.#server, 'GET', '/oauth/authorize', { query, headers: { cookie } })
    const form = new URLSearchParams({ ticket: hiddenField('ticket', page.body), decision: 'allow' })
    for (const allowed of this.#scope.split(' ')) form.append('scope', allowed)
    const headers = { cookie, ...FORM }
    const answer = await send(this.#server, 'POST', '/oauth/consent', { query, headers, body: String(form) })
    const code = new URL(String(answer.headers.location)).searchParams.get('code')
    if (code === null) throw new Error(`There is no code in ${answer.headers.location}`)
    return code
  }

  /** @param more parameters of the authorization request @param headers of the token request */
  async tokens(
    more: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<{ access_token: string; refresh_token: string }> {
    const body = String(new URLSearchParams(codeForm(this.clientId, await this.code(more))))
    const answer = await send(this.#server, 'POST', TOKEN, { headers: { ...FORM, ...headers }, body })
    return JSON.parse(answer.body)
  }
}

/** Its value in the form of a page. */
export function hiddenField(name: string, page: string): string {
  return new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? ''
}

interface Message {
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

export async function send(
  { routes }: Routes,
  method: string,
  path: string,
  { query = '', headers = {}, body = '' }: Message = {},
): Promise<HttpResponse> {
  const route = routes.find((candidate) => candidate.path === path)
  const answer = await route?.handle({ method, path, query, headers, body })
  if (answer === undefined || answer.status >= 400)
    throw new Error(`${method} ${path} answered ${answer?.status}: ${answer?.body}`)
  return answer
}
