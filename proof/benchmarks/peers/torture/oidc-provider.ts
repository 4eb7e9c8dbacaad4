import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Adapter, type AdapterPayload, type Client, errors } from 'oidc-provider'
import { delayed } from '../../../../packages/test-servers/src/delayed.ts'
import { listen } from '../../src/machine.ts'
import { type Approval, approved, CALLBACK, PUBLIC_CLIENTS, type StartRaced } from './raced-server.ts'

const SCOPES = ['openid', 'offline_access', 'notes:read']
const METADATA = {
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  scope: SCOPES.join(' '),
} as const

export const start: StartRaced = async (port, store) => {
  const issuer = `http://127.0.0.1:${port}`
  const provider = await createProvider(issuer, store === 'safest')
  provider.use(async (context, next) => {
    if (context.path !== '/approve') return next()
    context.redirect(await approved(new URL(context.href), (approval) => newCode(provider, approval)))
  })
  await listen(createServer(provider.callback()), port)
  return { issuer, endpoints: { authorization: `${issuer}/approve` }, clients: PUBLIC_CLIENTS, scope: SCOPES }
}

async function createProvider(issuer: string, isSafest: boolean): Promise<Provider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return new Provider(issuer, {
    adapter: createAdapter(isSafest),
    clients: PUBLIC_CLIENTS.map(({ id }) => ({ ...METADATA, client_id: id })) as never,
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    scopes: SCOPES,
    cookies: { keys: ['a secret of the benchmark'] },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: async () => true },
      revocation: { enabled: true },
    },
  })
}

/** What the page for consent would do: a grant of its own, and a code. */
async function newCode(provider: Provider, { clientId, scope, challenge, nonce }: Approval): Promise<string> {
  const grant = new provider.Grant({ accountId: 'alice', clientId })
  grant.addOIDCScope(scope)
  const client = (await provider.Client.find(clientId)) as Client
  const user = { accountId: 'alice', authTime: Math.floor(Date.now() / 1000), claims: {} }
  const request = {
    redirectUri: CALLBACK,
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
    nonce,
    scope,
  }
  const code = { ...user, ...request, client, grantId: await grant.save(), gty: 'authorization_code' }
  return new provider.AuthorizationCode({ ...code, expiresWithSession: false }).save()
}

/**
 * As the examples of its documentation keep records, in maps. `consume` "marks" a record there.
 *
 * @param isSafest whether `consume` refuses a record that is marked already, which one step of a database can decide
 */
function createAdapter(isSafest: boolean) {
  const grants = new Map<string, Set<string>>()
  const records = new Map<string, AdapterPayload>()
  return (model: string): Adapter => {
    const keyOf = (id: string) => `${model}:${id}`
    const copyOf = (payload: AdapterPayload | undefined) => payload && { ...payload }
    return delayed<Adapter>({
      find: async (id) => copyOf(records.get(keyOf(id))),
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
      async upsert(id, payload) {
        records.set(keyOf(id), payload)
        const { grantId } = payload
        if (grantId !== undefined) grants.set(grantId, (grants.get(grantId) ?? new Set()).add(keyOf(id)))
      },
      async consume(id) {
        const record = records.get(keyOf(id))
        if (isSafest && record?.consumed) throw new errors.InvalidGrant('consumed')
        if (record !== undefined) record.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id) => void records.delete(keyOf(id)),
      async revokeByGrantId(grantId) {
        for (const key of grants.get(grantId) ?? []) records.delete(key)
        grants.delete(grantId)
      },
    })
  }
}
