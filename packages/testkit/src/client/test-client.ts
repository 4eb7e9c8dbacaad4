import { createHash, randomBytes } from 'node:crypto'
import type { HttpRequest, HttpResponse } from '@grantkit/core'
import { type Answer, type Approval, answerOf, type Tokens } from './answer.ts'
import type { Browser } from './browser.ts'
import { callbackParameters, redirectParameters } from './callback.ts'
import type { ExistingClient, TestClientOptions } from './client-options.ts'
import type { Connection, Endpoints } from './connection.ts'
import { type ConsentForm, formOfPage } from './consent-form.ts'
import { destinationOf } from './destination.ts'
import { type Fields, FORM, formEncoded, type Overrides } from './fields.ts'
import type { ClientRequest } from './send.ts'

/**
 * A client and its user. Every message is correct unless a test overrides it, and every step can be taken alone.
 * Answers have the members of their body and, as `response`, the raw answer.
 */
export class TestClient<R extends HttpResponse = HttpResponse> {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly redirectUri: string
  readonly #connection: Connection<R>
  readonly #browser: HttpRequest['headers'] | Browser
  readonly #native: unknown
  readonly #consentForm: (page: HttpResponse) => ConsentForm

  /** @internal call `testClient` */
  constructor(
    connection: Connection<R>,
    { clientId, clientSecret, redirectUris }: ExistingClient,
    { browser = {}, native, consentForm = formOfPage }: TestClientOptions<R>,
  ) {
    this.clientId = clientId
    this.clientSecret = clientSecret
    this.redirectUri = redirectUris[0] ?? ''
    this.#connection = connection
    this.#browser = browser
    this.#native = native
    this.#consentForm = consentForm
  }

  /** The whole flow: the user allows the scope, and the code is exchanged. @throws Error when either fails */
  async tokens(scope: string, parameters: Overrides = {}): Promise<Tokens> {
    const { response, ...answer } = await this.redeem(await this.approve(scope, parameters))
    if (answer.status !== 200) throw new Error(`No tokens: ${JSON.stringify(answer)}`)
    return answer as Omit<typeof answer, keyof Tokens> & Tokens
  }

  /**
   * The user allows everything the client requests.
   *
   * @param parameters of the authorization request, in addition to the defaults or instead of them
   * @throws Error when the client gets no code
   */
  async approve(scope: string, parameters: Overrides = {}): Promise<Approval> {
    const verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const answer = await this.authorize({ scope, code_challenge, ...parameters }, 'allow')
    if (answer.code === undefined) throw new Error(`No code: ${JSON.stringify(answer)}`)
    return { code: answer.code, verifier }
  }

  /**
   * Sends an authorization request, and answers the consent page if there is one.
   *
   * @returns the parameters sent to the client: `code`, `state`, `iss`, or `error` and `error_description`
   * @throws Error when the client gets no response: no user is signed in, or the server shows an error page
   */
  async authorize(
    parameters: Overrides,
    decision: 'allow' | 'deny',
  ): Promise<Readonly<Record<string, string>>> {
    if (typeof this.#browser === 'function')
      return callbackParameters(await this.#browser(this.authorizationUrl(parameters), { decision }))
    const page = await this.visit(this.authorizationUrl(parameters))
    // A remembered consent opens an app from a page that goes on by itself.
    const asks = page.status === 200 && destinationOf(page) === undefined
    return redirectParameters(asks ? await this.decide(page, { decision }) : page, this.redirectUri)
  }

  /** The URL of an authorization request (RFC 6749 4.1.1). Pass scope and code challenge as parameters. */
  authorizationUrl(parameters: Overrides): string {
    const usual = { response_type: 'code', code_challenge_method: 'S256', state: 'the state' }
    const client = { client_id: this.clientId, redirect_uri: this.redirectUri }
    const query = formEncoded({ ...usual, ...client, ...parameters })
    return `${this.#connection.endpoints.authorization_endpoint}?${query}`
  }

  /** The answer to the user's browser at a URL of the server. @param headers in addition to those of `browser` */
  visit(url: string, headers: HttpRequest['headers'] = {}): Promise<R> {
    return this.#browse(url, { method: 'GET', headers, body: '' })
  }

  /**
   * Submits the consent page as the user's browser, and returns the answer.
   *
   * @param fields in addition to those of the form or instead of them; a list replaces all of them
   */
  decide(page: HttpResponse, fields: Fields, headers: HttpRequest['headers'] = {}): Promise<R> {
    const form = this.#consentForm(page)
    const url = new URL(form.action, this.#connection.endpoints.authorization_endpoint).href
    const kept = Array.isArray(fields) ? [] : form.fields.filter(([name]) => !(name in fields))
    const body = [kept, fields].map((some) => formEncoded(some)).filter(Boolean)
    return this.#browse(url, { method: 'POST', headers: { ...FORM, ...headers }, body: body.join('&') })
  }

  /** Exchanges a code (RFC 6749 4.1.3). */
  redeem(approval: Approval, overrides: Overrides = {}): Promise<Answer<R> & Partial<Tokens>> {
    return this.token(this.redemption(approval, overrides))
  }

  /** The form that `redeem` sends, for tests that change it and send it by `token`. */
  redemption({ code, verifier }: Approval, overrides: Overrides = {}): Overrides {
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: this.redirectUri }
    return { ...this.credentials, ...exchange, code_verifier: verifier, ...overrides }
  }

  refresh(refresh_token: string, overrides: Overrides = {}): Promise<Answer<R> & Partial<Tokens>> {
    return this.token({ ...this.credentials, grant_type: 'refresh_token', refresh_token, ...overrides })
  }

  /** Sends any form to the token endpoint, unchanged. */
  token(fields: Fields, headers: HttpRequest['headers'] = {}): Promise<Answer<R> & Partial<Tokens>> {
    return this.#ask<Tokens>('token_endpoint', fields, headers)
  }

  /** RFC 7662: for a confidential client. */
  introspect(token: string, overrides: Overrides = {}): Promise<Answer<R>> {
    return this.#ask('introspection_endpoint', { ...this.credentials, token, ...overrides })
  }

  revoke(token: string, overrides: Overrides = {}): Promise<Answer<R>> {
    return this.#ask('revocation_endpoint', { ...this.credentials, token, ...overrides })
  }

  /** The client credentials for a form: the id, and the secret if there is one. */
  get credentials(): Overrides {
    return { client_id: this.clientId, client_secret: this.clientSecret }
  }

  #browse(url: string, { headers, ...request }: ClientRequest): Promise<R> {
    const own = typeof this.#browser === 'function' ? {} : this.#browser
    return this.#connection.send(url, { ...request, headers: { ...own, ...headers }, native: this.#native })
  }

  async #ask<Members = object>(
    endpoint: keyof Endpoints,
    fields: Fields,
    headers: HttpRequest['headers'] = {},
  ): Promise<Answer<R> & Partial<Members>> {
    const request = { method: 'POST', headers: { ...FORM, ...headers }, body: formEncoded(fields) }
    return answerOf<R, Members>(await this.#connection.send(this.#connection.endpoints[endpoint], request))
  }
}
