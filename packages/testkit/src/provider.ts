import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify, SignJWT, UnsecuredJWT } from 'jose'
import { PROVIDERS, type ProviderRow, type TestUser } from './provider/rows.ts'

export type { ProviderRow, TestUser }

/** The providers that can be played. */
export const PLAYED = Object.keys(PROVIDERS) as (keyof typeof PROVIDERS)[]

/**
 * A provider of identities for tests: it plays Google, Entra, Apple, GitHub and others, with what each sends and refuses. It signs
 * its user in at once, in the process by `fetch`, or as a server ({@link runTestProvider}).
 */
export interface TestProvider {
  readonly issuer: string
  /** The settings of the client, as `upstream` of the server takes them. */
  readonly settings: { readonly id: string; readonly label: string; readonly issuer: string } & Record<
    string,
    unknown
  >
  /** Who signs in next. */
  user: TestUser
  /** Every request that came, the latest last. */
  readonly requests: ProviderRequest[]
  /** Changes what the provider sends or does, from now on. */
  change(row: Partial<ProviderRow>): void
  /** Signs with a new key from now on. */
  rotateKey(): void
  /** A request to the provider, as its client sends it. @throws TypeError for any other address, and while the provider is down */
  readonly fetch: (url: string, init?: FetchOptions) => Promise<Response>
  /** The browser of the user at the authorization endpoint: a redirect back, or a page with a form. */
  readonly visit: (url: string) => Response
}

export interface ProviderRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly form: URLSearchParams
}

/** What a client gives to `fetch`. */
export interface FetchOptions {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
}

export interface TestProviderOptions {
  /** Which provider it plays. Default: `openid`, one that follows the specification. */
  readonly plays?: keyof typeof PROVIDERS
  readonly issuer?: string
  readonly clientId?: string
  readonly clientSecret?: string
  /** The public keys of the client, for `private_key_jwt` and for the secret of Apple. */
  readonly clientKeys?: JSONWebKeySet
  readonly user?: TestUser
  /** What differs from the provider that it plays. */
  readonly change?: Partial<ProviderRow>
}

export const TEST_USER: TestUser = {
  sub: '248289761001',
  email: 'alice@partner.example',
  email_verified: true,
  name: 'Alice',
}

interface Flow {
  readonly redirectUri: string
  readonly nonce: string | undefined
  readonly challenge: string | undefined
  readonly user: TestUser
  readonly authTime: number | undefined
}

export function testProvider({
  plays = 'openid',
  clientId = 'grantkit',
  clientSecret = 'a+b/c:d%e&f=g é',
  clientKeys = { keys: [] },
  user = TEST_USER,
  change = {},
  ...options
}: TestProviderOptions = {}): TestProvider {
  let row: ProviderRow = { ...PROVIDERS[plays], ...change }
  const base = options.issuer ?? row.issuer
  const issuer = row.slash ? `${base}/` : base
  const codes = new Map<string, Flow>()
  const tokens = new Map<string, TestUser>()
  /** When each user signed in there, in epoch seconds. */
  const sessions = new Map<string, number>()
  const requests: ProviderRequest[] = []
  sharedKey ??= signingKey()
  let key = sharedKey

  const metadata = () => {
    const { endpoints } = row
    const paths = Object.entries({ ...endpoints, jwks_uri: '/jwks' }).map(([name, path]) => [
      name,
      `${base}${path}`,
    ])
    return { issuer, ...Object.fromEntries(paths), ...row.metadata }
  }

  const provider: TestProvider = {
    issuer,
    settings: {
      id: 'partner',
      label: 'Partner',
      issuer,
      clientId,
      clientSecret,
      ...(row.preset === undefined ? {} : { preset: row.preset }),
      ...row.settings,
    },
    user,
    requests,
    change(more) {
      row = { ...row, ...more }
    },
    rotateKey() {
      key = signingKey()
    },
    async fetch(address, init = {}) {
      const { method = 'GET', headers = {}, body } = init
      const url = new URL(address)
      const isForm = body instanceof URLSearchParams || typeof body === 'string'
      const request = {
        method,
        url,
        headers: new Headers(headers),
        form: new URLSearchParams(isForm ? body : ''),
      }
      requests.push(request)
      const own = [base, ...(row.otherOrigins ?? [])].find((origin) => address.startsWith(origin))
      if (row.isDown || own === undefined) throw new TypeError('fetch failed')
      return answer(request, url.href.slice(own.length).split('?')[0] ?? '')
    },
    visit: (address) => authorize(new URL(address)),
  }

  async function answer(request: ProviderRequest, path: string): Promise<Response> {
    const { endpoints } = row
    switch (path) {
      case '/.well-known/openid-configuration':
        return row.kind === 'openid' ? json(metadata()) : json({}, 404)
      case '/jwks':
        return json({
          keys: [key, ...(row.publishesTwoKeys ? [otherKey()] : [])].map(({ publicKey, kid }) => ({
            ...publicKey.export({ format: 'jwk' }),
            ...{ kid, alg: 'RS256', use: 'sig' },
          })),
        })
      case endpoints.authorization_endpoint:
        return authorize(request.url)
      case endpoints.token_endpoint:
        return token(request)
      default:
        return resource(request, path)
    }
  }

  function authorize(url: URL): Response {
    const asked = url.searchParams
    if (row.refusesPlus && url.search.includes('+')) return json({ error: 'invalid_scope' }, 400)
    const redirectUri = asked.get('redirect_uri') ?? ''
    const back = new URLSearchParams({ state: asked.get('state') ?? '' })
    if (row.sendsIss !== undefined) back.set('iss', row.sendsIss === true ? issuer : row.sendsIss)
    if (row.denies === true) back.set('error', 'access_denied')
    else {
      const code = randomUUID()
      const wantsTime = asked.has('max_age') || asked.has('prompt') || asked.has('claims')
      const authTime = row.authTime?.(wantsTime, signedInAt(asked))
      codes.set(code, {
        redirectUri,
        nonce: asked.get('nonce') ?? undefined,
        challenge: asked.get('code_challenge') ?? undefined,
        user: provider.user,
        authTime,
      })
      back.set('code', code)
    }
    if (asked.get('response_mode') === 'form_post')
      return formPost(redirectUri, { ...Object.fromEntries(back), ...row.posted })
    if (row.postsOnly)
      return json({ error: 'invalid_request', error_description: 'response_mode must be form_post' }, 400)
    return new Response(null, { status: 303, headers: { location: `${redirectUri}?${back}` } })
  }

  /** A user who is signed in at the provider is asked again only where the request demands it. */
  function signedInAt(asked: URLSearchParams): number {
    const now = Math.floor(Date.now() / 1000)
    const { sub } = provider.user
    const began = sessions.get(sub) ?? now
    const isTooOld = asked.has('max_age') && now - began > Number(asked.get('max_age'))
    const isAskedAgain = asked.get('prompt')?.split(' ').includes('login') === true || isTooOld
    const at = isAskedAgain ? now : began
    sessions.set(sub, at)
    return at
  }

  async function token(request: ProviderRequest): Promise<Response> {
    const { form } = request
    if (row.refusesVerifier && form.has('code_verifier')) return fault('invalid_client', 401)
    if (!(await authenticates(request))) return fault('invalid_client', 401)
    const flow = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = form.get('code_verifier')
    const challenge =
      verifier === null ? undefined : createHash('sha256').update(verifier).digest('base64url')
    if (flow === undefined || flow.redirectUri !== form.get('redirect_uri') || flow.challenge !== challenge)
      return fault('invalid_grant', 400)
    const access_token = randomUUID()
    tokens.set(access_token, flow.user)
    const id_token = row.kind === 'openid' ? await idToken(flow) : undefined
    return json({
      access_token,
      token_type: 'Bearer',
      expires_in: 3600,
      ...row.tokenResponse,
      ...(id_token && { id_token }),
    })
  }

  /** An error of the token endpoint. GitHub sends it with the status 200. */
  function fault(error: string, status: number): Response {
    return json(
      { error, error_description: `The provider says ${error}` },
      row.kind === 'github' ? 200 : status,
    )
  }

  async function authenticates({ headers, form }: ProviderRequest): Promise<boolean> {
    const basic = /^Basic (.+)$/.exec(headers.get('authorization') ?? '')?.[1]
    const assertion = form.get('client_assertion') ?? (row.takesSecretJwt ? form.get('client_secret') : null)
    if (assertion !== null) {
      const options = { audience: issuer, subject: clientId }
      return jwtVerify(assertion, createLocalJWKSet(clientKeys), options).then(
        () => row.takesSecretJwt || row.takes.includes('private_key_jwt'),
        () => false,
      )
    }
    if (basic !== undefined) {
      const sent = Buffer.from(basic, 'base64').toString().split(':').map(formDecoded)
      return row.takes.includes('client_secret_basic') && sent[0] === clientId && sent[1] === clientSecret
    }
    const isRight = form.get('client_id') === clientId && form.get('client_secret') === clientSecret
    return row.takes.includes('client_secret_post') && isRight
  }

  function idToken({ user: claims, nonce, authTime }: Flow): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const said = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 600,
      ...(row.dropsNonce || nonce === undefined ? {} : { nonce }),
      ...(authTime === undefined ? {} : { auth_time: authTime }),
      ...row.idToken(claims),
      // At another address it is an issuer of its own.
      ...(options.issuer !== undefined && { iss: issuer }),
      ...row.claims,
    }
    if (row.signature === 'none') return Promise.resolve(new UnsecuredJWT(said).encode())
    const { privateKey } = row.signature === 'other' ? otherKey() : key
    const header = { alg: 'RS256', ...(row.dropsKid ? {} : { kid: key.kid }) }
    return new SignJWT(said).setProtectedHeader(header).sign(privateKey)
  }

  function resource({ headers }: ProviderRequest, path: string): Response {
    const known = tokens.get(headers.get('authorization')?.replace(/^Bearer /, '') ?? '')
    const read = Object.hasOwn(row.resources, path) ? row.resources[path] : undefined
    if (read === undefined) return json({ message: 'Not Found' }, 404)
    return known === undefined ? json({ message: 'Bad credentials' }, 401) : json(read(known))
  }

  return provider
}

/** The form of a provider that posts its answer, as its script submits it. */
function formPost(action: string, fields: Readonly<Record<string, string>>): Response {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  const body = `<!doctype html><form method="post" action="${escaped(action)}">${inputs.join('')}<button>Continue at the provider</button></form><script>document.forms[0].submit()</script>`
  return new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function json(body: unknown, status = 200): Response {
  return Response.json(body, { status })
}

interface SigningKey {
  readonly kid: string
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** The first keys of every provider: to make one takes a tenth of a second. */
let sharedKey: SigningKey | undefined
let sharedOtherKey: SigningKey | undefined

function otherKey(): SigningKey {
  sharedOtherKey ??= signingKey()
  return sharedOtherKey
}

function signingKey(): SigningKey {
  return { kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) }
}

/**
 * The same as a server on a loopback port.
 *
 * @param options `port`: one that stays, so that linked accounts do too. Default: a free one
 * @throws Error when the port is in use
 *
 * @example
 * ```ts
 * import { runTestProvider } from '@grantkit/testkit/provider'
 *
 * const google = await runTestProvider({ plays: 'google', port: 4100 })
 * console.log(google.settings) // for the file of providers
 * google.change({ denies: true }) // the user chooses "Cancel" from now on
 * ```
 */
export async function runTestProvider({
  port: wanted = 0,
  ...options
}: Omit<TestProviderOptions, 'issuer'> & { readonly port?: number | undefined } = {}): Promise<
  TestProvider & { close(): Promise<void> }
> {
  let provider: TestProvider | undefined
  const server = createServer(async (request, response) => {
    const body = await request.toArray()
    const { method = 'GET', url, headers } = request
    const sent = await provider?.fetch(`${provider.issuer}${url}`, {
      method,
      headers: Object.fromEntries(
        new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ),
      body: Buffer.concat(body).toString(),
    })
    response.writeHead(sent?.status ?? 500, Object.fromEntries(sent?.headers ?? []))
    response.end(await sent?.text())
  })
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  provider = testProvider({ ...options, issuer: `http://127.0.0.1:${port}` })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return Object.assign(provider, { close })
}
