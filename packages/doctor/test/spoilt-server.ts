import { generateKeyPairSync } from 'node:crypto'
import {
  type AuthorizationServerOptions,
  createAuthorizationServer,
  type Feature,
  type HttpResponse,
  type Interaction,
  PrivateJwk,
} from '@grantkit/core'
import { type DeviceInteraction, device } from '@grantkit/core/device'
import { createMemoryStore } from '@grantkit/store-memory'
import { diagnose, type SendProbe } from '../src/diagnose.ts'

export const ISSUER = 'https://server.example'
export const NOW = 1_800_000_000
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const KEY = PrivateJwk.parse({ ...privateKey.export({ format: 'jwk' }), kid: 'a key', alg: 'RS256' })

export const SECRET = 'a secret of the tests, long enough to pass'

const page = (status: number, body: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/html' },
  body,
})
/** Alice is signed in in every browser. */
export const INTERACTION: Interaction = {
  session: async () => ({ id: 'session', subject: 'alice', authTime: NOW }),
  signIn: () => page(200, 'sign in'),
  consentPage: () => page(200, 'consent'),
  errorPage: ({ status }) => page(status, 'error'),
}

/** A server in good health. */
export function openService(
  features: readonly Feature[] = [],
  registration?: AuthorizationServerOptions<string>['registration'],
) {
  const now = () => NOW
  return createAuthorizationServer({
    issuer: ISSUER,
    store: createMemoryStore({ now }),
    scopes: { openid: { description: 'Sign you in' }, 'courses:read': { description: 'See courses' } },
    secret: SECRET,
    keys: [KEY],
    claims: async () => ({}),
    registration,
    now,
    features: [device({} as DeviceInteraction), ...features],
    interaction: INTERACTION,
  })
}

export type Spoil = (answer: HttpResponse) => HttpResponse

/** Sends probes to a server of this process; the answers of some paths are spoilt on their way. */
export function sendTo(
  server: ReturnType<typeof openService>,
  spoils: Readonly<Record<string, Spoil>>,
): SendProbe {
  return async ({ method, url, headers = {}, body = '' }) => {
    const { pathname, search } = new URL(url)
    const route = server.routes.find(({ path }) => path === pathname)
    const request = {
      method,
      path: pathname,
      query: search.slice(1),
      headers,
      body,
    }
    const answer = await route?.handle(request)
    if (answer === undefined) throw new Error(`No answer from ${url}`)
    const dated = {
      ...answer,
      headers: { ...answer.headers, date: new Date(NOW * 1000).toUTCString() },
    }
    return (spoils[pathname] ?? ((same) => same))(dated)
  }
}

/** The checks that fail at a server with spoilt answers. */
export async function failuresWith(
  spoils: Readonly<Record<string, Spoil>>,
  idToken?: string,
  features: readonly Feature[] = [],
): Promise<string[]> {
  const server = openService(features)
  const findings = await diagnose(ISSUER, sendTo(server, spoils), { now: () => NOW, idToken })
  return findings.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id)
}

export const AS = '/.well-known/oauth-authorization-server'
export const OIDC = '/.well-known/openid-configuration'
export const RESOURCE = '/.well-known/oauth-protected-resource'
export const TOKEN = '/api/oauth/token'
export const USERINFO = '/api/oauth/userinfo'
export const AUTHORIZE = '/oauth/authorize'

/** An answer with a changed member or header. */
export const member =
  (name: string, value: unknown): Spoil =>
  (answer) => ({
    ...answer,
    body: JSON.stringify({ ...JSON.parse(answer.body), [name]: value }),
  })
export const header =
  (name: string, value: string): Spoil =>
  (answer) => ({ ...answer, headers: { ...answer.headers, [name]: value } })
export const status =
  (code: number): Spoil =>
  (answer) => ({ ...answer, status: code })
export const html: Spoil = (answer) => ({ ...answer, body: '<h1>Error</h1>' })
