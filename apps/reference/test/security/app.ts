import { createHash } from 'node:crypto'
import {
  type Fields,
  formOfPage,
  type Overrides,
  type TestClient,
  testClient,
} from '@grantkit/testkit/client'
import type { Bench, Person } from './bench.ts'
import type { Answer, HeaderLines } from './wire.ts'

export const REDIRECT_URI = 'http://127.0.0.1:7001/cb'
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly scope: string
}

/** The test client on the wire of the bench, with its user. Answers are raw. */
export class App {
  readonly bench: Bench
  readonly #person: Person
  readonly #client: TestClient<Answer>

  private constructor(bench: Bench, person: Person, client: TestClient<Answer>) {
    this.bench = bench
    this.#person = person
    this.#client = client
    if (client.clientSecret !== undefined) bench.keepSecret(client.clientSecret)
  }

  /** Registers a client for a user. */
  static async register(
    bench: Bench,
    more: Record<string, unknown> = {},
    person: Person = 'alice',
  ): Promise<App> {
    const metadata = { redirect_uris: [REDIRECT_URI], ...more }
    return new App(
      bench,
      person,
      await testClient(bench.base, { ...(await bench.browser(person)), metadata }),
    )
  }

  static async arrange(bench: Bench, metadata: object, person: Person = 'alice'): Promise<App> {
    const more = { clientName: 'Zap', redirectUris: ['https://zap.example/cb'], ...metadata }
    const client = await bench.service.clients.add(more)
    return new App(bench, person, await testClient(bench.base, { ...(await bench.browser(person)), client }))
  }

  get id(): string {
    return this.#client.clientId
  }

  get secret(): string | undefined {
    return this.#client.clientSecret
  }

  get redirectUri(): string {
    return this.#client.redirectUri
  }

  /** The client credentials. */
  get credentials(): Overrides {
    return this.#client.credentials
  }

  query(overrides: Overrides = {}): string {
    const scope = 'openid profile courses:read'
    const usual = { scope, state: 'st-4711', code_challenge: CHALLENGE }
    return this.#client.authorizationUrl({ ...usual, ...overrides }).split('?')[1] ?? ''
  }

  /** Sends an authorization request from the browser of its user. */
  authorize(overrides: Overrides = {}): Promise<Answer> {
    return this.ask(this.query(overrides))
  }

  ask(query: string, headers: HeaderLines = []): Promise<Answer> {
    return this.#client.visit(`${this.bench.base}/oauth/authorize?${query}`, Object.fromEntries(headers))
  }

  /** Sends an authorization request from a browser without a session. */
  askSignedOut(overrides: Overrides = {}): Promise<Answer> {
    return this.bench.send(`/oauth/authorize?${this.query(overrides)}`)
  }

  /** The consent form that the user got, with the user's decision. */
  async consentForm(query: string, decision = 'allow'): Promise<ConsentForm> {
    const page = await this.ask(query)
    const { action, fields } = formOfPage(page)
    return { page: page.body, action, fields: [...fields, ['decision', decision]] }
  }

  async submit({ action, fields }: ConsentForm, headers: HeaderLines = []): Promise<Answer> {
    const cookie = await this.bench.session(this.#person)
    return this.bench.post(action, fields, [['Cookie', cookie], ...headers])
  }

  /** The answer to the browser after the user has allowed everything. */
  async approve(overrides: Overrides = {}): Promise<Answer> {
    return this.submit(await this.consentForm(this.query(overrides)))
  }

  async code(overrides: Overrides = {}): Promise<string> {
    const answer = await this.approve(overrides)
    const code = answer.redirected().get('code')
    if (code === null)
      throw new Error(`No code: ${answer.status} ${answer.header('location')} ${answer.body}`)
    return this.bench.keepSecret(code)
  }

  redemption(code: string, overrides: Overrides = {}): Overrides {
    return this.#client.redemption({ code, verifier: VERIFIER }, overrides)
  }

  async token(fields: Fields, headers: HeaderLines = []): Promise<Answer> {
    const { response } = await this.#client.token(fields, Object.fromEntries(headers))
    return this.bench.keepTokens(response)
  }

  redeem(code: string, overrides: Overrides = {}): Promise<Answer> {
    return this.token(this.redemption(code, overrides))
  }

  async tokens(overrides: Overrides = {}): Promise<Tokens> {
    return tokensOf(await this.redeem(await this.code(overrides)))
  }

  async refresh(refresh_token: string, overrides: Overrides = {}): Promise<Answer> {
    return this.bench.keepTokens((await this.#client.refresh(refresh_token, overrides)).response)
  }

  async revoke(token: string, overrides: Overrides = {}): Promise<Answer> {
    return (await this.#client.revoke(token, overrides)).response
  }

  /** Calls the API or another protected resource. */
  call(token: string, target = '/api/courses', method = 'GET'): Promise<Answer> {
    return this.bench.send(target, { method, headers: [['Authorization', `Bearer ${token}`]] })
  }

  /** The introspection answer to a resource server. */
  async introspect(token: string): Promise<Record<string, unknown>> {
    const server = await App.arrange(this.bench, { resourceServer: true })
    return (await server.#client.introspect(token)).response.json()
  }
}

interface ConsentForm {
  readonly page: string
  readonly action: string
  readonly fields: readonly (readonly [string, string])[]
}

export function tokensOf(answer: Answer): Tokens {
  if (answer.status !== 200) throw new Error(`No tokens: ${answer.status} ${answer.body}`)
  return answer.json() as unknown as Tokens
}

/** Undoes the escaping of a page. */
export function textOf(markup = ''): string {
  const named = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  return Object.entries(named).reduce((text, [name, character]) => text.replaceAll(name, character), markup)
}
