import {
  type AuthorizationServer,
  createAuthorizationServer,
  createResourceServer,
  type Feature,
  type HttpRequest,
  type HttpResponse,
  type Interaction,
  type PrivateJwk,
  type ResourceServer,
  type Store,
} from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { exportJWK, generateKeyPair } from 'jose'
import { CODE_SECONDS } from '../src/sample.ts'
import { documentsFetchedOnce } from './document-client.ts'

/** Grantkit, wired as in its quick start. A cookie names the signed-in user. */
export interface Service {
  readonly server: AuthorizationServer
  readonly api: ResourceServer<Scope>
}

const SCOPES = {
  openid: { description: 'Sign you in' },
  'notes:read': { description: 'Read your notes' },
  'notes:write': { description: 'Change your notes' },
} as const
type Scope = keyof typeof SCOPES

export const SECRET = 'a secret of the benchmark, long enough to pass'

const html = (status: number, body: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/html' },
  body,
})

export interface ServiceOptions {
  readonly store?: Store
  /** Scopes of the catalogue that no client requests. */
  readonly moreScopes?: Readonly<Record<string, { readonly description: string }>>
  readonly features?: readonly Feature[]
  readonly keys?: readonly PrivateJwk[]
}

export async function openService(issuer: string, options: ServiceOptions = {}): Promise<Service> {
  const { store = boundlessStore(), moreScopes = {}, features = [], keys = await signingKeys() } = options
  const scopes: Record<Scope, { description: string }> = { ...SCOPES, ...moreScopes }
  const server = createAuthorizationServer({
    issuer,
    store,
    scopes,
    secret: SECRET,
    keys,
    claims: async () => ({ name: 'Alice' }),
    lifetimes: { code: CODE_SECONDS },
    features: [documentsFetchedOnce(), ...features],
    interaction: INTERACTION,
    // All load comes from one address.
    rateLimiter: { take: async () => 0 },
  })
  return { server, api: createResourceServer({ resource: issuer, store, scopes }) }
}

/** A fast machine makes more codes in a minute than the memory store holds by default. */
export function boundlessStore(): Store {
  return createMemoryStore({ maxRecords: Number.POSITIVE_INFINITY })
}

export const INTERACTION: Interaction = {
  session: async ({ headers }: HttpRequest) => sessionOf(headers.cookie),
  signIn: (returnTo) => ({
    status: 303,
    headers: { location: `/login?to=${encodeURIComponent(returnTo)}` },
    body: '',
  }),
  errorPage: ({ status, description }) => html(status, description),
  // The page is only the ticket, because nobody reads it.
  consentPage: ({ ticket }) => html(200, ticket),
}

const startedAt = Math.floor(Date.now() / 1000)

function sessionOf(cookie: string | string[] | undefined) {
  const subject = /^user=(.+)$/.exec(String(cookie ?? ''))?.[1]
  return subject === undefined ? undefined : { id: `session of ${subject}`, subject, authTime: startedAt }
}

export function signingKeys(): Promise<PrivateJwk[]> {
  return Promise.all([signingKey('RS256'), signingKey('ES256')])
}

async function signingKey(alg: PrivateJwk['alg']): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, kid: `bench-${alg}` } as PrivateJwk
}
