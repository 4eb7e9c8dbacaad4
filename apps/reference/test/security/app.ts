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

const REDIRECT_URI = 'http://127.0.0.1:7001/cb'
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
  readonly #bench: Bench
  readonly #person: Person
  readonly #client: TestClient<Answer>

  private constructor(bench: Bench, person: Person, client: TestClient<Answer>) {
    this.#bench = bench
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

  static async arrange(bench: Bench, metadata: object): Promise<App> {
    const more = { clientName: 'Zap', redirectUris: ['https://zap.example/cb'], ...metadata }
    const client = await bench.service.clients.add(more)
    return new App(
      bench,
      'alice',
      await testClient(bench.base, { ...(await bench.browser('alice')), client }),
    )
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

  /** Of a request that the user has allowed completely. */
  async code(overrides: Overrides = {}): Promise<string> {
    const page = await this.#client.visit(`${this.#bench.base}/oauth/authorize?${this.query(overrides)}`)
    const { action, fields } = formOfPage(page)
    const cookie = await this.#bench.session(this.#person)
    const answer = await this.#bench.post(action, [...fields, ['decision', 'allow']], [['Cookie', cookie]])
    const code = answer.redirected().get('code')
    if (code === null)
      throw new Error(`No code: ${answer.status} ${answer.header('location')} ${answer.body}`)
    return this.#bench.keepSecret(code)
  }

  redemption(code: string): Overrides {
    return this.#client.redemption({ code, verifier: VERIFIER })
  }

  async token(fields: Fields, headers: HeaderLines = []): Promise<Answer> {
    const { response } = await this.#client.token(fields, Object.fromEntries(headers))
    return this.#bench.keepTokens(response)
  }

  async tokens(overrides: Overrides = {}): Promise<Tokens> {
    return tokensOf(await this.token(this.redemption(await this.code(overrides))))
  }

  async revoke(token: string): Promise<Answer> {
    return (await this.#client.revoke(token)).response
  }

  /** Calls the API. */
  call(token: string): Promise<Answer> {
    return this.#bench.send('/api/courses', { headers: [['Authorization', `Bearer ${token}`]] })
  }
}

export function tokensOf(answer: Answer): Tokens {
  if (answer.status !== 200) throw new Error(`No tokens: ${answer.status} ${answer.body}`)
  return answer.json() as unknown as Tokens
}
