import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Adapter, type AdapterPayload, type Client } from 'oidc-provider'
import { bearerGet } from '../src/http-text.ts'
import { listen } from '../src/listen.ts'
import {
  authorizeWork,
  codeWork,
  introspectWork,
  metadataWork,
  protectedWork,
  refreshWork,
  registerWork,
} from '../src/requests.ts'
import {
  CHALLENGE,
  CLIENT_METADATA,
  CODE_SECONDS,
  REDIRECT_URI,
  SCOPE,
  SCOPES,
  SUBJECT,
} from '../src/sample.ts'
import type { StartTarget } from '../src/target.ts'

const NATIVE = { ...CLIENT_METADATA, application_type: 'native' }
const RESOURCE_SERVER = { client_id: 'notes', client_secret: 'the secret of the resource server' }

/** oidc-provider on its own Koa application, which also serves the guarded route. */
export const start: StartTarget = async (port) => {
  const provider = await createProvider(`http://127.0.0.1:${port}`)
  provider.use(notes(provider))
  const server = createServer(provider.callback())
  await listen(server, port)
  const approved = (clientId: string, scope = SCOPE) => approval(provider, clientId, scope)
  const accessToken = async () =>
    new provider.AccessToken({ ...(await approved('native')), gty: 'authorization_code' }).save()
  const refreshToken = async () => {
    const given = { ...(await approved('native')), ...EXTRA, rotations: 0, gty: 'authorization_code' }
    return new provider.RefreshToken(given).save()
  }
  const code = async (clientId: string, scope?: string) =>
    new provider.AuthorizationCode({
      ...(await approved(clientId, scope)),
      ...EXTRA,
      ...PKCE,
      gty: 'authorization_code',
    }).save()
  return {
    opens: (token) => bearerGet('/notes', token),
    work: {
      register: registerWork('/reg', NATIVE),
      code: codeWork('/token', 'native', () => code('native')),
      refresh: refreshWork('/token', 'native', refreshToken),
      protected: protectedWork('/notes', accessToken),
      introspect: introspectWork('/token/introspection', RESOURCE_SERVER, accessToken),
      authorize: authorizeWork('/auth', 'native'),
      metadata: metadataWork(),
      'id-token-rs256': codeWork('/token', 'rs256', () => code('rs256', `openid ${SCOPE}`)),
      'id-token-es256': codeWork('/token', 'es256', () => code('es256', `openid ${SCOPE}`)),
    },
  }
}

const EXTRA = { authTime: Math.floor(Date.now() / 1000), claims: {} }
const PKCE = { redirectUri: REDIRECT_URI, codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' }

async function createProvider(issuer: string): Promise<Provider> {
  const openId = { ...NATIVE, scope: `openid ${SCOPE}` }
  return new Provider(issuer, {
    adapter: MapAdapter,
    clients: [
      { ...NATIVE, client_id: 'native' } as never,
      { ...openId, client_id: 'rs256', id_token_signed_response_alg: 'RS256' } as never,
      { ...openId, client_id: 'es256', id_token_signed_response_alg: 'ES256' } as never,
      {
        ...RESOURCE_SERVER,
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: [],
        response_types: [],
        redirect_uris: [],
      },
    ],
    jwks: { keys: await Promise.all([signingKey('RS256'), signingKey('ES256')]) },
    scopes: ['openid', 'offline_access', ...SCOPES],
    cookies: { keys: ['a secret of the benchmark'] },
    // Every client that may refresh gets a refresh token, and every refresh rotates it, as in the other servers.
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    interactions: { url: (_context, interaction) => `/login/${interaction.uid}` },
    ttl: { AuthorizationCode: CODE_SECONDS },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      introspection: { enabled: true, allowedPolicy: async () => true },
    },
  })
}

/** Creates what the user's consent would create: a new grant for each approval. */
async function approval(provider: Provider, clientId: string, scope: string) {
  const grant = new provider.Grant({ accountId: SUBJECT, clientId })
  grant.addOIDCScope(scope)
  const client = (await provider.Client.find(clientId)) as Client
  return { accountId: SUBJECT, client, grantId: await grant.save(), scope, expiresWithSession: false }
}

function notes(provider: Provider): Parameters<Provider['use']>[0] {
  return async (context, next) => {
    if (context.path !== '/notes') return next()
    const token = await provider.AccessToken.find(context.get('authorization').slice('Bearer '.length))
    context.status = token === undefined ? 401 : 200
    context.body = token?.scopes.has('notes:read') ? { owner: token.accountId } : {}
  }
}

async function signingKey(alg: string) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, use: 'sig' }
}

/** Its own memory adapter keeps only the last thousand records; this one keeps all. */
class MapAdapter implements Adapter {
  static readonly #grants = new Map<string, Set<string>>()
  static readonly #records = new Map<string, { payload: AdapterPayload; expiresAt: number }>()
  readonly #model: string

  constructor(model: string) {
    this.#model = model
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number) {
    const key = `${this.#model}:${id}`
    MapAdapter.#records.set(key, { payload, expiresAt: Date.now() + expiresIn * 1000 })
    if (payload.grantId === undefined) return
    const members = MapAdapter.#grants.get(payload.grantId)
    if (members === undefined) MapAdapter.#grants.set(payload.grantId, new Set([key]))
    else members.add(key)
  }

  async find(id: string) {
    const record = MapAdapter.#records.get(`${this.#model}:${id}`)
    return record === undefined || record.expiresAt < Date.now() ? undefined : record.payload
  }

  async findByUid(uid: string) {
    for (const { payload } of MapAdapter.#records.values()) if (payload.uid === uid) return payload
    return undefined
  }

  async findByUserCode() {
    return undefined
  }

  async consume(id: string) {
    const payload = await this.find(id)
    if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
  }

  async destroy(id: string) {
    MapAdapter.#records.delete(`${this.#model}:${id}`)
  }

  async revokeByGrantId(grantId: string) {
    for (const key of MapAdapter.#grants.get(grantId) ?? []) MapAdapter.#records.delete(key)
    MapAdapter.#grants.delete(grantId)
  }
}
