import {
  AuthorizationServer,
  DateInterval,
  type GrantIdentifier,
  generateRandomToken,
  JwtService,
  type OAuthAuthCode,
  type OAuthAuthCodeRepository,
  type OAuthClient,
  OAuthException,
  type OAuthToken,
  type OAuthTokenRepository,
} from '@jmondi/oauth2-server'
import { handleFastifyError, handleFastifyReply, requestFromFastify } from '@jmondi/oauth2-server/fastify'
import fastify from 'fastify'
import { delayed } from '../../../../packages/test-servers/src/delayed.ts'
import { type Approval, approved, CALLBACK, PUBLIC_CLIENTS, type StartRaced } from './raced-server.ts'

const SCOPE = [{ name: 'notes:read' }]
const SECRET = 'the secret of the resource server'
const USER = { id: 'alice' }
const CLIENTS: readonly OAuthClient[] = [
  ...PUBLIC_CLIENTS.map(({ id }) => clientOf(id, ['authorization_code', 'refresh_token'])),
  { ...clientOf('notes', ['client_credentials']), secret: SECRET },
]

export const start: StartRaced = async (port, store) => {
  const issuer = `http://127.0.0.1:${port}`
  const records = createRecords(store === 'safest')
  const server = createServer(records)
  const app = fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  )
  app.setErrorHandler<Error>((error, _request, reply) => handleFastifyError(error, reply))
  app.get('/approve', async (request, reply) =>
    reply.redirect(await approved(new URL(request.url, issuer), records.newCode)),
  )
  app.post('/token', async (request, reply) => {
    handleFastifyReply(reply, await server.respondToAccessTokenRequest(requestFromFastify(request)))
    return reply
  })
  app.post('/introspect', async (request, reply) => {
    handleFastifyReply(reply, await server.introspect(requestFromFastify(request)))
    return reply
  })
  await app.listen({ port, host: '127.0.0.1' })
  const at = (path: string) => `${issuer}/${path}`
  const endpoints = { token: at('token'), authorization: at('approve'), introspection: at('introspect') }
  const clients = [...PUBLIC_CLIENTS, { id: 'notes', secret: SECRET, method: 'post' } as const]
  return { issuer, endpoints, clients, scope: SCOPE.map(({ name }) => name) }
}

function clientOf(id: string, allowedGrants: GrantIdentifier[]): OAuthClient {
  return { id, name: id, redirectUris: [CALLBACK], allowedGrants, scopes: SCOPE }
}

function createServer({ codes, tokens }: ReturnType<typeof createRecords>): AuthorizationServer {
  const clients = {
    getByIdentifier: async (id: string) => found(CLIENTS.find((client) => client.id === id)),
    isClientValid: async (grantType: GrantIdentifier, client: OAuthClient, secret?: string) =>
      client.allowedGrants.includes(grantType) && (client.secret ?? undefined) === secret,
  }
  const scopes = {
    getAllByIdentifiers: async (names: string[]) => SCOPE.filter(({ name }) => names.includes(name)),
    finalize: async <T>(each: T) => each,
  }
  const opaque = { useOpaqueAuthorizationCodes: true, useOpaqueRefreshTokens: true }
  const jwt = new JwtService('a secret of the benchmark, long enough to pass')
  const server = new AuthorizationServer(clients, tokens, scopes, jwt, opaque)
  const userRepository = { getUserByCredentials: async () => USER }
  const grant = 'authorization_code' as const
  const hour = new DateInterval('1h')
  server.enableGrantTypes(
    [{ grant, authCodeRepository: codes, userRepository }, hour],
    ['refresh_token', hour],
    ['client_credentials', hour],
  )
  return server
}

/**
 * Repositories in maps.
 *
 * @param isSafest whether `revoke` rejects for what is revoked already, which one step of a database can decide
 */
function createRecords(isSafest: boolean) {
  const kept = new Map<string, OAuthAuthCode>()
  const revoked = new Set<string>()
  const accessTokens = new Map<string, OAuthToken>()
  const refreshTokens = new Map<string, OAuthToken>()
  const revokeOnce = (secret: string) => {
    if (isSafest && revoked.has(secret)) throw OAuthException.invalidGrant('revoked')
    revoked.add(secret)
  }
  const codes: OAuthAuthCodeRepository = {
    getByIdentifier: async (code) => found(kept.get(code)),
    issueAuthCode: () => {
      throw new Error('The page of the application issues codes')
    },
    persist: async (code) => void kept.set(code.code, code),
    isRevoked: async (code) => revoked.has(code),
    revoke: async (code) => revokeOnce(code),
  }
  const tokens: OAuthTokenRepository = {
    issueToken: async (client, scopes, user) => ({ ...newAccessToken(), client, user, scopes }),
    async issueRefreshToken(token) {
      const issued = { ...token, refreshToken: generateRandomToken(), refreshTokenExpiresAt: inOneHour() }
      await tokens.persist(issued)
      return issued
    },
    async persist(token) {
      accessTokens.set(token.accessToken, token)
      if (typeof token.refreshToken === 'string') refreshTokens.set(token.refreshToken, token)
    },
    async revoke({ accessToken, refreshToken }) {
      accessTokens.delete(accessToken)
      revokeOnce(refreshToken ?? accessToken)
    },
    isRefreshTokenRevoked: async ({ refreshToken }) => revoked.has(refreshToken ?? ''),
    getByRefreshToken: async (token) => found(refreshTokens.get(token)),
    getByAccessToken: async (token) => found(accessTokens.get(token)),
  }
  async function newCode({ clientId, challenge }: Approval): Promise<string> {
    const client = found(CLIENTS.find(({ id }) => id === clientId))
    const pkce = { codeChallenge: challenge, codeChallengeMethod: 'S256', redirectUri: CALLBACK } as const
    const code = { client, user: USER, scopes: SCOPE, ...pkce, code: generateRandomToken() }
    kept.set(code.code, { ...code, expiresAt: inOneHour() })
    return code.code
  }
  return { codes: delayed(codes), tokens: delayed(tokens), newCode }
}

function newAccessToken() {
  return { accessToken: generateRandomToken(), accessTokenExpiresAt: inOneHour() }
}

function found<T>(record: T | undefined): T {
  if (record === undefined) throw OAuthException.invalidGrant()
  return record
}

function inOneHour(): Date {
  return new Date(Date.now() + 3_600_000)
}
