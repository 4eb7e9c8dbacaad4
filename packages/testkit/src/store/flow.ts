import { createHash, randomBytes } from 'node:crypto'
import { createAuthorizationServer, type HttpResponse, type Store } from '@grantkit/core'

/** A client, a user and a server in this process, over the store under test. */

const ISSUER = 'https://school.example'
const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

export interface Answer {
  readonly status: number
  readonly error?: string
  readonly active?: boolean
}

/** The lifetimes of the flow, in seconds. */
export const LIFETIMES = {
  code: 60,
  accessToken: 300,
  refreshToken: 1000,
  grant: 3000,
  refreshRetryWindow: 60,
}

export class Flow {
  clientId = ''
  clientSecret = ''
  private readonly server: ReturnType<typeof createAuthorizationServer>
  private ticket = ''
  private action = ''

  /** @param now the server's clock, in epoch seconds; the store may go by another */
  constructor(store: Store, now: () => number) {
    this.server = createAuthorizationServer({
      issuer: ISSUER,
      store,
      scopes: { 'courses:read': { description: 'See courses' } },
      secret: 'a secret of the tests, long enough to pass',
      lifetimes: LIFETIMES,
      now,
      interaction: {
        session: async () => ({ id: 'session', subject: 'alice', authTime: now() }),
        signIn: () => ({ status: 303, headers: { location: '/login' }, body: '' }),
        consentPage: ({ action, ticket }) => {
          Object.assign(this, { action, ticket })
          return { status: 200, headers: {}, body: '' }
        },
        errorPage: ({ status, description }) => ({ status, headers: {}, body: description }),
      },
    })
  }

  async register(): Promise<void> {
    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'client_secret_post' }
    const headers = { 'content-type': 'application/json' }
    const response = await this.send('POST', '/api/oauth/register', '', headers, JSON.stringify(metadata))
    const { client_id, client_secret } = JSON.parse(response.body)
    Object.assign(this, { clientId: client_id, clientSecret: client_secret })
  }

  /** The user allows what was asked for. @returns the code and the verifier that goes with it */
  async approve(): Promise<{ code: string; verifier: string }> {
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: REDIRECT_URI,
      scope: 'courses:read',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    await this.send('GET', '/oauth/authorize', String(query))
    const [path = '', given = ''] = this.action.split('?')
    const decision = new URLSearchParams({ ticket: this.ticket, decision: 'allow', scope: 'courses:read' })
    const { headers } = await this.send('POST', path, given, FORM, String(decision))
    return { verifier, code: new URL(String(headers.location)).searchParams.get('code') ?? '' }
  }

  redeem({ code, verifier }: { code: string; verifier: string }): Promise<Answer & Partial<Tokens>> {
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
    return this.post('/api/oauth/token', { ...exchange, code_verifier: verifier })
  }

  refresh(refresh_token: string): Promise<Answer & Partial<Tokens>> {
    return this.post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token })
  }

  introspect(token: string): Promise<Answer> {
    return this.post('/api/oauth/introspect', { token })
  }

  revoke(token: string): Promise<Answer> {
    return this.post('/api/oauth/revoke', { token })
  }

  private async post(path: string, form: Record<string, string>): Promise<Answer & Partial<Tokens>> {
    const credentials = { client_id: this.clientId, client_secret: this.clientSecret }
    const body = String(new URLSearchParams({ ...credentials, ...form }))
    const response = await this.send('POST', path, '', FORM, body)
    return { status: response.status, ...JSON.parse(response.body) }
  }

  private send(method: string, path: string, query: string, headers = {}, body = ''): Promise<HttpResponse> {
    const route = this.server.routes.find((candidate) => candidate.path === path)
    if (route === undefined) throw new Error(`The server has no route ${path}`)
    return route.handle({ method, path, query, headers, body })
  }
}
