import { createHash, randomBytes } from 'node:crypto'
import type { HttpRequest, HttpResponse } from '@grantkit/core'
import { type ConsentForm, formOfPage } from './consent-form.ts'
import { type Endpoints, type ServerUnderTest, send } from './in-process.ts'

export interface TestClientOptions {
  /** What the user's browser sends and your `interaction.session` reads, such as `{ cookie: 'session=…' }`. */
  readonly browser?: HttpRequest['headers']
  /** Members of the registration (RFC 7591 2). Default: a public client with a loopback redirect URI. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** A client that is there already, such as an integration that you added. Default: one registers itself. */
  readonly client?: RegisteredClient
  /** For a consent page whose form is not in its HTML. Default: reads the form that holds the ticket. */
  readonly consentForm?: (page: HttpResponse) => ConsentForm
}

export interface RegisteredClient {
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly redirect_uris: readonly string[]
}

/** An answer of the token, revocation or introspection endpoint: its status, and the members of its body. */
export interface Answer {
  readonly status: number
  readonly error?: string
  readonly error_description?: string
  readonly active?: boolean
}

/** RFC 6749 5.1, OpenID Connect Core 3.1.3.3. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
  readonly id_token?: string
}

export interface Approval {
  readonly code: string
  /** The PKCE verifier that goes with the code. */
  readonly verifier: string
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A client and its user, in the process of the server: no socket, no browser, and the server's own clock. */
export class TestClient {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly #server: ServerUnderTest
  readonly #endpoints: Endpoints
  readonly #redirectUri: string
  readonly #browser: HttpRequest['headers']
  readonly #consentForm: (page: HttpResponse) => ConsentForm

  /** @internal call `testClient` */
  constructor(
    server: ServerUnderTest,
    endpoints: Endpoints,
    client: RegisteredClient,
    { browser = {}, consentForm = formOfPage }: TestClientOptions,
  ) {
    this.clientId = client.client_id
    this.clientSecret = client.client_secret
    this.#server = server
    this.#endpoints = endpoints
    this.#redirectUri = client.redirect_uris[0] ?? ''
    this.#browser = browser
    this.#consentForm = consentForm
  }

  /** Everything at once: the user allows the scope, and the code is exchanged. @throws Error when either fails */
  async tokens(scope: string, parameters: Readonly<Record<string, string>> = {}): Promise<Tokens> {
    const answer = await this.redeem(await this.approve(scope, parameters))
    if (answer.status !== 200) throw new Error(`No tokens: ${JSON.stringify(answer)}`)
    return answer as Tokens & Answer
  }

  /**
   * The user allows all that is asked for.
   *
   * @param parameters of the authorization request, beside or instead of the usual ones
   * @throws Error when the client gets no code
   */
  async approve(scope: string, parameters: Readonly<Record<string, string>> = {}): Promise<Approval> {
    const verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const answer = await this.authorize({ scope, code_challenge, ...parameters }, 'allow')
    if (answer.code === undefined) throw new Error(`No code: ${JSON.stringify(answer)}`)
    return { code: answer.code, verifier }
  }

  /**
   * An authorization request, and the user's answer if they are asked.
   *
   * @returns what the client is told: `code`, `state`, `iss`, or `error` and `error_description`
   * @throws Error when the client is told nothing: nobody is signed in, or the server shows an error page
   */
  async authorize(
    parameters: Readonly<Record<string, string>>,
    decision: 'allow' | 'deny',
  ): Promise<Readonly<Record<string, string>>> {
    const usual = { response_type: 'code', code_challenge_method: 'S256', state: 'the state' }
    const client = { client_id: this.clientId, redirect_uri: this.#redirectUri }
    const query = new URLSearchParams({ ...usual, ...client, ...parameters })
    const headers = this.#browser
    const shown = await this.#send(`${this.#endpoints.authorization_endpoint}?${query}`, { headers })
    return this.#redirected(shown.status === 200 ? await this.#decide(shown, decision) : shown)
  }

  /** Exchanges a code (RFC 6749 4.1.3). */
  redeem({ code, verifier }: Approval): Promise<Answer & Partial<Tokens>> {
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: this.#redirectUri }
    return this.#post(this.#endpoints.token_endpoint, { ...exchange, code_verifier: verifier })
  }

  refresh(refresh_token: string): Promise<Answer & Partial<Tokens>> {
    return this.#post(this.#endpoints.token_endpoint, { grant_type: 'refresh_token', refresh_token })
  }

  /** RFC 7662: for a confidential client. */
  introspect(token: string): Promise<Answer> {
    return this.#post(this.#endpoints.introspection_endpoint, { token })
  }

  revoke(token: string): Promise<Answer> {
    return this.#post(this.#endpoints.revocation_endpoint, { token })
  }

  #decide(page: HttpResponse, decision: 'allow' | 'deny'): Promise<HttpResponse> {
    const { action, fields } = this.#consentForm(page)
    const body = String(new URLSearchParams([...fields.map(([...field]) => field), ['decision', decision]]))
    return this.#send(action, { method: 'POST', headers: { ...this.#browser, ...FORM }, body })
  }

  #redirected({ status, headers, body }: HttpResponse): Readonly<Record<string, string>> {
    const location = String(headers.location ?? '')
    if (location.startsWith(this.#redirectUri)) return Object.fromEntries(new URL(location).searchParams)
    if (location === '') throw new Error(`The server shows a page (status ${status}): ${body.slice(0, 500)}`)
    throw new Error(`Nobody is signed in: the browser is sent to ${location}. See the option "browser"`)
  }

  async #post(url: string, form: Readonly<Record<string, string>>): Promise<Answer & Partial<Tokens>> {
    const secret: Record<string, string> =
      this.clientSecret === undefined ? {} : { client_secret: this.clientSecret }
    const body = String(new URLSearchParams({ client_id: this.clientId, ...secret, ...form }))
    const response = await this.#send(url, { method: 'POST', headers: FORM, body })
    return { status: response.status, ...JSON.parse(response.body) }
  }

  #send(url: string, request: Parameters<typeof send>[2]): Promise<HttpResponse> {
    return send(this.#server, url, request)
  }
}
