import { createHash } from 'node:crypto'
import type { Bench, Fields, Person } from './bench.ts'
import { encoded } from './bench.ts'
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

type Overrides = Readonly<Record<string, string | undefined>>

/** A client of the service and the person who uses it. Every message is a good one but for what a test changes. */
export class App {
  readonly bench: Bench
  readonly id: string
  readonly secret: string | undefined
  readonly redirectUri: string
  readonly person: Person

  private constructor(bench: Bench, id: string, secret: string | undefined, uri: string, person: Person) {
    this.bench = bench
    this.id = id
    this.secret = secret
    this.redirectUri = uri
    this.person = person
  }

  static async register(bench: Bench, metadata: Record<string, unknown>, person: Person): Promise<App> {
    const redirect_uris = [REDIRECT_URI]
    const answer = await bench.postJson('/api/oauth/register', { redirect_uris, ...metadata })
    if (answer.status !== 201) throw new Error(`Not registered: ${answer.body}`)
    const { client_id, client_secret, redirect_uris: kept } = answer.json()
    const secret = client_secret === undefined ? undefined : bench.keepSecret(String(client_secret))
    return new App(bench, String(client_id), secret, (kept as string[])[0] ?? '', person)
  }

  static async arrange(bench: Bench, metadata: object, person: Person = 'alice'): Promise<App> {
    const given = { client_name: 'Zap', redirect_uris: ['https://zap.example/cb'], ...metadata }
    const { client_id, client_secret } = await bench.service.clients.add(given)
    if (client_secret !== undefined) bench.keepSecret(client_secret)
    return new App(bench, client_id, client_secret, given.redirect_uris[0] ?? '', person)
  }

  /** What identifies and authenticates it. */
  get credentials(): Overrides {
    return { client_id: this.id, client_secret: this.secret }
  }

  query(overrides: Overrides = {}): string {
    return encoded({
      response_type: 'code',
      client_id: this.id,
      redirect_uri: this.redirectUri,
      scope: 'openid profile courses:read',
      state: 'st-4711',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...overrides,
    })
  }

  /** The authorization request, from the browser of its user. */
  authorize(overrides: Overrides = {}): Promise<Answer> {
    return this.ask(this.query(overrides))
  }

  async ask(query: string, headers: HeaderLines = []): Promise<Answer> {
    const cookie = await this.bench.session(this.person)
    return this.bench.send(`/oauth/authorize?${query}`, { headers: [['Cookie', cookie], ...headers] })
  }

  /** A request from a browser in which nobody is signed in. */
  askSignedOut(overrides: Overrides = {}): Promise<Answer> {
    return this.bench.send(`/oauth/authorize?${this.query(overrides)}`)
  }

  /** The consent form that the user was shown, with the answer the user gives. */
  async consentForm(query: string, decision = 'allow'): Promise<ConsentForm> {
    const { body } = await this.ask(query)
    const action = textOf(/<form method="post" action="([^"]+)"/.exec(body)?.[1])
    const ticket = /name="ticket" value="([^"]+)"/.exec(body)?.[1] ?? ''
    const scopes = [...body.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope = '']) => scope)
    const ticked = scopes.map((scope) => ['scope', scope] as const)
    return { page: body, action, fields: [['ticket', ticket], ['decision', decision], ...ticked] }
  }

  async submit({ action, fields }: ConsentForm, headers: HeaderLines = []): Promise<Answer> {
    const cookie = await this.bench.session(this.person)
    return this.bench.post(action, fields, [['Cookie', cookie], ...headers])
  }

  /** What the browser is told after the user has allowed all. */
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
    return {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      code_verifier: VERIFIER,
      ...this.credentials,
      ...overrides,
    }
  }

  async token(fields: Fields, headers: HeaderLines = []): Promise<Answer> {
    const answer = await this.bench.post('/api/oauth/token', fields, headers)
    if (answer.status === 200) {
      const { access_token, refresh_token, id_token } = answer.json()
      for (const token of [access_token, refresh_token, id_token])
        if (token !== undefined) this.bench.keepSecret(String(token))
    }
    return answer
  }

  redeem(code: string, overrides: Overrides = {}): Promise<Answer> {
    return this.token(this.redemption(code, overrides))
  }

  async tokens(overrides: Overrides = {}): Promise<Tokens> {
    return tokensOf(await this.redeem(await this.code(overrides)))
  }

  refresh(refresh_token: string, overrides: Overrides = {}): Promise<Answer> {
    return this.token({ grant_type: 'refresh_token', refresh_token, ...this.credentials, ...overrides })
  }

  revoke(token: string, overrides: Overrides = {}): Promise<Answer> {
    return this.bench.post('/api/oauth/revoke', { token, ...this.credentials, ...overrides })
  }

  /** A call of the API, or of another protected place. */
  call(token: string, target = '/api/courses', method = 'GET'): Promise<Answer> {
    return this.bench.send(target, { method, headers: [['Authorization', `Bearer ${token}`]] })
  }

  /** What a resource server is told of a token. */
  async introspect(token: string): Promise<Record<string, unknown>> {
    const server = await App.arrange(this.bench, { resource_server: true })
    return (await this.bench.post('/api/oauth/introspect', { token, ...server.credentials })).json()
  }
}

export interface ConsentForm {
  readonly page: string
  readonly action: string
  readonly fields: readonly (readonly [string, string])[]
}

export function tokensOf(answer: Answer): Tokens {
  if (answer.status !== 200) throw new Error(`No tokens: ${answer.status} ${answer.body}`)
  return answer.json() as unknown as Tokens
}

/** Text as it was before it was escaped for a page. */
export function textOf(markup = ''): string {
  const named = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  return Object.entries(named).reduce((text, [name, character]) => text.replaceAll(name, character), markup)
}
