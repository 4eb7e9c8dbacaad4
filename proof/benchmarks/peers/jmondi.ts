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
  type OAuthScope,
  type OAuthToken,
  type OAuthTokenRepository,
} from '@jmondi/oauth2-server'
import { handleFastifyError, handleFastifyReply, requestFromFastify } from '@jmondi/oauth2-server/fastify'
import fastify from 'fastify'
import { CHALLENGE, REDIRECT_URI, SCOPES, SUBJECT, targetOf } from '../src/requests.ts'
import type { StartTarget } from '../src/workloads.ts'

const SCOPE_ENTITIES = SCOPES.map((name) => ({ name }))
const CLIENT: OAuthClient = {
  id: 'native',
  name: 'A client of the benchmark',
  redirectUris: [REDIRECT_URI],
  allowedGrants: ['authorization_code', 'refresh_token'],
  scopes: SCOPE_ENTITIES,
}
const secret = 'the secret of the resource server'
const RESOURCE_SERVER: OAuthClient = { ...CLIENT, id: 'notes', secret, allowedGrants: ['client_credentials'] }
const USER = { id: SUBJECT }

/**
 * Opaque codes and refresh tokens, its faster choice. Its access tokens are always JWTs: here with HS256, the cheapest
 * algorithm. It guards no API.
 */
export const start: StartTarget = async (port) => {
  const records = createRecords()
  const jwt = new JwtService('a secret of the benchmark, long enough to pass')
  const server = createServer(records, jwt)
  const app = fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  )
  app.setErrorHandler<Error>((error, _request, reply) => handleFastifyError(error, reply))
  app.post('/token', async (request, reply) => {
    handleFastifyReply(reply, await server.respondToAccessTokenRequest(requestFromFastify(request)))
    return reply
  })
  app.post('/introspect', async (request, reply) => {
    handleFastifyReply(reply, await server.introspect(requestFromFastify(request)))
    return reply
  })
  await app.listen({ port, host: '127.0.0.1' })

  return targetOf({
    clientId: CLIENT.id,
    async newCode() {
      const code = newCode()
      await records.codes.persist(code)
      return code.code
    },
    async newTokens() {
      const { refreshToken } = await records.tokens.issueRefreshToken(
        { ...OWNED, ...newAccessToken() },
        CLIENT,
      )
      const form = { grant_type: 'refresh_token', client_id: CLIENT.id, refresh_token: refreshToken }
      const { body } = await server.respondToAccessTokenRequest({ body: form, headers: {}, query: {} })
      return body as { access_token: string; refresh_token: string }
    },
    introspection: { path: '/introspect', client: { client_id: RESOURCE_SERVER.id, client_secret: secret } },
  })
}

function createServer(
  { codes, tokens }: ReturnType<typeof createRecords>,
  jwt: JwtService,
): AuthorizationServer {
  const clients = {
    getByIdentifier: async (id: string) => (id === CLIENT.id ? CLIENT : RESOURCE_SERVER),
    isClientValid: async (grantType: GrantIdentifier, client: OAuthClient, secret?: string) =>
      client.allowedGrants.includes(grantType) && (client.secret ?? undefined) === secret,
  }
  const scopes = {
    getAllByIdentifiers: async (names: string[]) => SCOPE_ENTITIES.filter(({ name }) => names.includes(name)),
    finalize: async (found: OAuthScope[]) => found,
  }
  const opaque = { useOpaqueAuthorizationCodes: true, useOpaqueRefreshTokens: true }
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

/** Keeps everything in maps. */
function createRecords() {
  const kept = new Map<string, OAuthAuthCode & { revoked?: boolean }>()
  const accessTokens = new Map<string, OAuthToken>()
  const refreshTokens = new Map<string, OAuthToken>()
  const codes: OAuthAuthCodeRepository = {
    getByIdentifier: async (code) => kept.get(code) as OAuthAuthCode,
    issueAuthCode: newCode,
    persist: async (code) => void kept.set(code.code, code),
    isRevoked: async (code) => kept.get(code)?.revoked === true,
    revoke: async (code) => void Object.assign(kept.get(code) ?? {}, { revoked: true }),
  }
  const tokens: OAuthTokenRepository = {
    issueToken: async (client, scopes, user) => ({ ...newAccessToken(), client, user, scopes }),
    async issueRefreshToken(token) {
      Object.assign(token, { refreshToken: generateRandomToken(), refreshTokenExpiresAt: inOneHour() })
      await tokens.persist(token)
      return token
    },
    async persist(token) {
      accessTokens.set(token.accessToken, token)
      if (typeof token.refreshToken === 'string') refreshTokens.set(token.refreshToken, token)
    },
    async revoke({ accessToken, refreshToken }) {
      accessTokens.delete(accessToken)
      refreshTokens.delete(refreshToken ?? '')
    },
    isRefreshTokenRevoked: async ({ refreshToken }) => !refreshTokens.has(refreshToken ?? ''),
    getByRefreshToken: async (token) => found(refreshTokens.get(token)),
    getByAccessToken: async (token) => found(accessTokens.get(token)),
  }
  return { codes, tokens }
}

const OWNED = { client: CLIENT, user: USER, scopes: SCOPE_ENTITIES }

function newCode(): OAuthAuthCode {
  const pkce = { redirectUri: REDIRECT_URI, codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' } as const
  return { ...OWNED, ...pkce, code: generateRandomToken(), expiresAt: inOneHour() }
}

function newAccessToken() {
  return { accessToken: generateRandomToken(), accessTokenExpiresAt: inOneHour() }
}

function found(token: OAuthToken | undefined): OAuthToken {
  if (token === undefined) throw OAuthException.invalidGrant()
  return token
}

function inOneHour(): Date {
  return new Date(Date.now() + 3_600_000)
}
