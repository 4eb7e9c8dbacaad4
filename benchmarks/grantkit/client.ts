import type { HttpResponse } from '@grantkit/core'
import { authorizationQuery, CLIENT_METADATA, REDIRECT_URI, SUBJECT, VERIFIER } from '../src/sample.ts'
import type { Service } from './service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A client and its user in the process of the server: they call its routes directly. */
export class Client {
  readonly #server: Service['server']
  readonly clientId: string

  static async register(server: Service['server'], metadata: object = {}): Promise<Client> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ ...CLIENT_METADATA, ...metadata })
    const answer = await send(server, 'POST', '/api/oauth/register', { headers, body })
    return new Client(server, JSON.parse(answer.body).client_id)
  }

  private constructor(server: Service['server'], clientId: string) {
    this.#server = server
    this.clientId = clientId
  }

  /** The user signs in and allows everything. */
  async code(scope: string, subject = SUBJECT, more: Record<string, string> = {}): Promise<string> {
    const query = authorizationQuery(this.clientId, { scope, ...more })
    const cookie = `user=${subject}`
    const page = await send(this.#server, 'GET', '/oauth/authorize', { query, headers: { cookie } })
    const form = new URLSearchParams({ ticket: page.body, decision: 'allow' })
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
  server: Service['server'],
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
