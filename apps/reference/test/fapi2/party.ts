import { type Browser, formEncoded, type Overrides } from '@grantkit/testkit/client'
import { user } from '../user.ts'
import type { Claims, Key } from './key.ts'

export const REDIRECT_URI = 'https://suite.example/callback'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
/** The pair of RFC 7636 appendix B. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, string>>
}

export const outcome = ({ status, body }: Answer) => [status, body.error]

export type Form = Readonly<Record<string, string | undefined>>

const now = () => Math.floor(Date.now() / 1000)
const once = () => crypto.randomUUID()

/** How a request differs from a valid one. */
export interface Changes {
  /** Claims of the client assertion; `false` sends none. */
  readonly assertion?: Claims | false
  readonly signedBy?: Key
  /** Claims of the DPoP proof; `false` sends none. */
  readonly proof?: Claims | false
  readonly provenBy?: Key
}

/** A client of the plan. */
export class Party {
  readonly base: string
  readonly clientId: string
  readonly key: Key
  readonly proving: Key
  readonly browser: Browser

  constructor(base: string, clientId: string, key: Key, proving: Key) {
    this.base = base
    this.clientId = clientId
    this.key = key
    this.proving = proving
    this.browser = user(base)
  }

  async assertion(claims: Claims = {}, by = this.key): Promise<Form> {
    const usual = { iss: this.clientId, sub: this.clientId, aud: this.base, jti: once() }
    const times = { iat: now(), nbf: now(), exp: now() + 60 }
    const client_assertion = await by.jwt({ ...usual, ...times, ...claims })
    return { client_assertion, client_assertion_type: ASSERTION_TYPE }
  }

  proof(htm: string, path: string, claims: Claims = {}, by = this.proving) {
    const usual = { jti: once(), htm, htu: this.base + path, iat: now() }
    return by.jwt({ ...usual, ...claims }, { typ: 'dpop+jwt', jwk: by.jwk })
  }

  async post(path: string, form: Form, changes: Changes = {}): Promise<Answer> {
    const { assertion = {}, signedBy, proof = {}, provenBy } = changes
    const signed = assertion === false ? {} : await this.assertion(assertion, signedBy)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const dpop = proof === false ? {} : { dpop: await this.proof('POST', path, proof, provenBy) }
    const body = formEncoded({ ...signed, ...form })
    return sent(this.base + path, { method: 'POST', headers: { ...headers, ...dpop }, body })
  }

  request(overrides: Overrides = {}): Overrides {
    return {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: REDIRECT_URI,
      scope: 'openid profile courses:read',
      state: 'a state',
      nonce: 'a nonce',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...overrides,
    }
  }

  /** Pushes a request, with no proof: the suite sends one where its module is about that. */
  push(overrides: Overrides = {}, changes: Changes = {}): Promise<Answer> {
    return this.post('/api/oauth/par', this.request(overrides) as Form, { proof: false, ...changes })
  }

  address(request_uri: string | undefined, more: Form = {}): string {
    return `${this.base}/oauth/authorize?${formEncoded({ client_id: this.clientId, request_uri, ...more })}`
  }

  /** What the browser brings back of a user who signs in and allows everything. */
  async callback(
    overrides: Overrides = {},
    changes: Changes = {},
  ): Promise<Readonly<Record<string, string>>> {
    const { request_uri } = (await this.push(overrides, changes)).body
    return Object.fromEntries((await this.browser(this.address(request_uri))).searchParams)
  }

  redeem(code: string | undefined, form: Form = {}, changes: Changes = {}): Promise<Answer> {
    const usual = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
    }
    return this.post('/api/oauth/token', { ...usual, ...form }, changes)
  }

  refresh(refresh_token: string | undefined, form: Form = {}, changes: Changes = {}): Promise<Answer> {
    return this.post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token, ...form }, changes)
  }

  async tokens(overrides: Overrides = {}): Promise<Answer['body']> {
    return (await this.redeem((await this.callback(overrides)).code)).body
  }

  /** Calls the API. @param proof claims of the DPoP proof; `false` sends none */
  async call(
    token: string | undefined,
    proof: Claims | false = {},
    { scheme = 'DPoP', by = this.proving } = {},
  ): Promise<Answer> {
    const path = '/api/courses'
    const ath = await hashOf(token ?? '')
    const dpop = proof === false ? {} : { dpop: await this.proof('GET', path, { ath, ...proof }, by) }
    return sent(this.base + path, { headers: { authorization: `${scheme} ${token}`, ...dpop } })
  }
}

async function hashOf(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64url')
}

export async function sent(url: string, init: RequestInit): Promise<Answer> {
  const { status, headers, ...answer } = await fetch(url, { redirect: 'manual', ...init }).then(
    async (got) => ({
      status: got.status,
      headers: got.headers,
      text: await got.text(),
    }),
  )
  return {
    status,
    headers,
    body: headers.get('content-type')?.includes('json') ? JSON.parse(answer.text) : {},
  }
}
