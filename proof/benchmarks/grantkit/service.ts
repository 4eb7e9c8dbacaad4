import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
  createResourceServer,
  type PrivateJwk,
  type ResourceServer,
  type Store,
} from '@grantkit/core'
import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'
import { exportJWK, generateKeyPair } from 'jose'
import { CODE_LIFETIME } from '../src/requests.ts'

/** Grantkit, wired as in its quick start. A cookie names the signed-in user. */
export interface Service {
  readonly server: AuthorizationServer
  readonly api: ResourceServer<keyof typeof SCOPES>
}

export const SCOPES = {
  openid: { description: 'Sign you in' },
  'notes:read': { description: 'Read your notes' },
  'notes:write': { description: 'Change your notes' },
} as const

export const SECRET = 'a secret of the benchmark, long enough to pass'

export type Options = Partial<
  Pick<AuthorizationServerOptions<string>, 'store' | 'features' | 'keys' | 'observer' | 'onEvent'>
>

export async function openService(issuer: string, options: Options = {}): Promise<Service> {
  const { store = boundlessStore(), features = [], keys = await signingKeys(), observer, onEvent } = options
  const server = createAuthorizationServer({
    issuer,
    store,
    scopes: SCOPES,
    secret: SECRET,
    keys,
    claims: async () => ({}),
    lifetimes: { code: CODE_LIFETIME },
    ...{ features, observer, onEvent },
    // All clients of a benchmark register from here.
    rateLimiter: { take: async () => 0 },
    interaction: {
      ...pages({ brand: { name: 'Notes' } }).interaction,
      session: async ({ headers }) => sessionOf(String(headers.cookie)),
      signIn: (returnTo) => ({ status: 303, headers: { location: `/login?to=${returnTo}` }, body: '' }),
    },
  })
  return { server, api: createResourceServer({ resource: issuer, store, scopes: SCOPES, observer, onEvent }) }
}

/** A fast machine makes more codes in a minute than the memory store holds by default. */
export function boundlessStore(): Store {
  return createMemoryStore({ maxRecords: Number.POSITIVE_INFINITY })
}

const startedAt = Math.floor(Date.now() / 1000)

function sessionOf(cookie: string) {
  const subject = /^user=(.+)$/.exec(cookie)?.[1]
  return subject === undefined ? undefined : { id: `session of ${subject}`, subject, authTime: startedAt }
}

export function signingKeys(): Promise<PrivateJwk[]> {
  return Promise.all([signingKey('RS256'), signingKey('ES256')])
}

async function signingKey(alg: PrivateJwk['alg']): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, kid: `bench-${alg}` } as PrivateJwk
}
