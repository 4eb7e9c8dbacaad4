import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Adapter, type AdapterPayload, type Client } from 'oidc-provider'
import { listen } from '../src/machine.ts'
import {
  CHALLENGE,
  CLIENT_METADATA,
  CODE_LIFETIME,
  REDIRECT_URI,
  SCOPE,
  SCOPES,
  SUBJECT,
  targetOf,
} from '../src/requests.ts'
import type { StartTarget, Target } from '../src/workloads.ts'

export const NATIVE = { ...CLIENT_METADATA, client_id: 'native', application_type: 'native' }
const RESOURCE_SERVER = { client_id: 'notes', client_secret: 'the secret of the resource server' }
const AUTHENTICATED = { authTime: Math.floor(Date.now() / 1000), claims: {}, gty: 'authorization_code' }
const PKCE = { redirectUri: REDIRECT_URI, codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' }

/** oidc-provider on its own Koa application, which also serves the guarded route. */
export const start: StartTarget = (port) => startProvider(port, { adapter: createAdapter() })

interface Options {
  readonly adapter: (model: string) => Adapter
  /** Its own sign-in and consent pages, for development. */
  readonly pages?: boolean
}

export async function startProvider(port: number, options: Options): Promise<Target> {
  const provider = await createProvider(`http://127.0.0.1:${port}`, options)
  provider.use(notes(provider))
  await listen(createServer(provider.callback()), port)
  const newTokens = async () => {
    const approved = { ...(await approval(provider)), ...AUTHENTICATED }
    return {
      access_token: await new provider.AccessToken(approved).save(),
      refresh_token: await new provider.RefreshToken({ ...approved, rotations: 0 }).save(),
    }
  }
  const newCode = async () =>
    new provider.AuthorizationCode({ ...(await approval(provider)), ...AUTHENTICATED, ...PKCE }).save()
  const introspection = { path: '/token/introspection', client: RESOURCE_SERVER }
  return targetOf({ clientId: NATIVE.client_id, newCode, newTokens, notes: '/notes', introspection })
}

async function createProvider(issuer: string, { adapter, pages = false }: Options): Promise<Provider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return new Provider(issuer, {
    adapter,
    clients: [
      NATIVE as never,
      {
        ...RESOURCE_SERVER,
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: [],
        response_types: [],
        redirect_uris: [],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    scopes: ['openid', 'offline_access', ...SCOPES],
    cookies: { keys: ['a secret of the benchmark'] },
    // Every client that may refresh gets a refresh token, and every refresh rotates it, as in the other servers.
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    ttl: { AuthorizationCode: CODE_LIFETIME },
    features: {
      devInteractions: { enabled: pages },
      introspection: { enabled: true, allowedPolicy: async () => true },
    },
  })
}

/** Creates what the user's consent would create: a new grant for each approval. */
async function approval(provider: Provider) {
  const grant = new provider.Grant({ accountId: SUBJECT, clientId: NATIVE.client_id })
  grant.addOIDCScope(SCOPE)
  const client = (await provider.Client.find(NATIVE.client_id)) as Client
  return { accountId: SUBJECT, client, grantId: await grant.save(), scope: SCOPE, expiresWithSession: false }
}

function notes(provider: Provider): Parameters<Provider['use']>[0] {
  return async (context, next) => {
    if (context.path !== '/notes') return next()
    const token = await provider.AccessToken.find(context.get('authorization').slice('Bearer '.length))
    context.status = token === undefined ? 401 : 200
    context.body = token?.scopes.has('notes:read') ? { owner: token.accountId } : {}
  }
}

/** Its own memory adapter keeps only the last thousand records; this one keeps all. */
function createAdapter() {
  const grants = new Map<string, Set<string>>()
  const records = new Map<string, { payload: AdapterPayload; expiresAt: number }>()
  return (model: string): Adapter => {
    const find = async (id: string) => {
      const record = records.get(`${model}:${id}`)
      return record === undefined || record.expiresAt < Date.now() ? undefined : record.payload
    }
    return {
      find,
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
      async upsert(id, payload, expiresIn) {
        const key = `${model}:${id}`
        records.set(key, { payload, expiresAt: Date.now() + (expiresIn ?? 0) * 1000 })
        const { grantId } = payload
        if (grantId !== undefined) grants.set(grantId, (grants.get(grantId) ?? new Set()).add(key))
      },
      async consume(id) {
        Object.assign((await find(id)) ?? {}, { consumed: Math.floor(Date.now() / 1000) })
      },
      destroy: async (id) => void records.delete(`${model}:${id}`),
      async revokeByGrantId(grantId) {
        for (const key of grants.get(grantId) ?? []) records.delete(key)
        grants.delete(grantId)
      },
    }
  }
}
