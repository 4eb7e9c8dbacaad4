import {
  AuthorizationServer,
  DateInterval,
  generateRandomToken,
  JwtService,
  type OAuthAuthCode,
  type OAuthClient,
  OAuthException,
  type OAuthToken,
} from '@jmondi/oauth2-server'
import { handleFastifyError, handleFastifyReply, requestFromFastify } from '@jmondi/oauth2-server/fastify'
import fastify from 'fastify'
import { bearerGet } from '../src/http-text.ts'
import { authorizeWork, codeWork, introspectWork, refreshWork } from '../src/requests.ts'
import { CHALLENGE, REDIRECT_URI, SCOPES, SUBJECT } from '../src/sample.ts'
import type { StartTarget } from '../src/target.ts'

const SCOPE_ENTITIES = SCOPES.map((name) => ({ name }))
const CLIENT: OAuthClient = {
  id: 'native',
  name: 'A client of the benchmark',
  redirectUris: [REDIRECT_URI],
  allowedGrants: ['authorization_code', 'refresh_token'],
  scopes: SCOPE_ENTITIES,
}
const RESOURCE_SERVER: OAuthClient = {
  ...CLIENT,
  id: 'notes',
  secret: 'the secret of the resource server',
  allowedGrants: ['client_credentials'],
}
const USER = { id: SUBJECT }

/**
 * Opaque codes and refresh tokens, its faster choice. Its access tokens are always JWTs: here with HS256, the cheapest
 * algorithm. It guards no API and registers no clients; `/notes` exists only to check tokens.
 */
export const start: StartTarget = async (port) => {
  const records = new Records()
  const jwt = new JwtService('a secret of the benchmark, long enough to pass')
  const server = createServer(records, jwt)
  const app = fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  )
  app.setErrorHandler<Error>((error, _request, reply) => handleFastifyError(error, reply))
  app.get('/authorize', async (request, reply) => {
    const { client } = await server.validateAuthorizationRequest(requestFromFastify(request))
    return reply.redirect(`/login?${new URLSearchParams({ client: client.id })}`)
  })
  app.post('/token', async (request, reply) => {
    handleFastifyReply(reply, await server.respondToAccessTokenRequest(requestFromFastify(request)))
    return reply
  })
  app.post('/introspect', async (request, reply) => {
    handleFastifyReply(reply, await server.introspect(requestFromFastify(request)))
    return reply
  })
  app.get('/notes', async ({ headers }) => {
    await jwt.verify((headers.authorization ?? '').slice('Bearer '.length)).catch(() => {
      throw OAuthException.accessDenied()
    })
    return {}
  })
  await app.listen({ port, host: '127.0.0.1' })

  const accessToken = async () => {
    const form = {
      grant_type: 'refresh_token',
      client_id: CLIENT.id,
      refresh_token: records.newRefreshToken(),
    }
    const { body } = await server.respondToAccessTokenRequest({ body: form, headers: {}, query: {} })
    return String(body.access_token)
  }
  const { id, secret } = RESOURCE_SERVER
  return {
    opens: (token) => bearerGet('/notes', token),
    work: {
      code: codeWork('/token', CLIENT.id, () => records.newCode()),
      refresh: refreshWork('/token', CLIENT.id, () => records.newRefreshToken()),
      introspect: introspectWork(
        '/introspect',
        { client_id: id, client_secret: String(secret) },
        accessToken,
      ),
      authorize: authorizeWork('/authorize', CLIENT.id),
    },
  }
}

function createServer(records: Records, jwt: JwtService): AuthorizationServer {
  const server = new AuthorizationServer(
    {
      getByIdentifier: async (id) => (id === CLIENT.id ? CLIENT : RESOURCE_SERVER),
      isClientValid: async (grantType, client, secret) =>
        client.allowedGrants.includes(grantType) && (client.secret ?? undefined) === secret,
    },
    records.tokens,
    {
      getAllByIdentifiers: async (names) => SCOPE_ENTITIES.filter(({ name }) => names.includes(name)),
      finalize: async (scopes) => scopes,
    },
    jwt,
    { useOpaqueAuthorizationCodes: true, useOpaqueRefreshTokens: true },
  )
  const userRepository = { getUserByCredentials: async () => USER }
  const codeGrant = {
    grant: 'authorization_code',
    authCodeRepository: records.codes,
    userRepository,
  } as const
  const hour = new DateInterval('1h')
  server.enableGrantTypes([codeGrant, hour], ['refresh_token', hour], ['client_credentials', hour])
  return server
}

/** Keeps everything in maps. */
class Records {
  readonly #codes = new Map<string, OAuthAuthCode & { revoked?: boolean }>()
  readonly #accessTokens = new Map<string, OAuthToken>()
  readonly #refreshTokens = new Map<string, OAuthToken>()

  readonly codes = {
    getByIdentifier: async (code: string) => this.#codes.get(code) as OAuthAuthCode,
    issueAuthCode: (client: OAuthClient, user: typeof USER | undefined, scopes: OAuthAuthCode['scopes']) =>
      ({ code: generateRandomToken(), client, user, scopes, expiresAt: new Date() }) as OAuthAuthCode,
    persist: async (code: OAuthAuthCode) => void this.#codes.set(code.code, code),
    isRevoked: async (code: string) => this.#codes.get(code)?.revoked === true,
    revoke: async (code: string) => void Object.assign(this.#codes.get(code) ?? {}, { revoked: true }),
  }

  readonly tokens = {
    issueToken: async (client: OAuthClient, scopes: OAuthToken['scopes'], user?: OAuthToken['user']) =>
      ({
        accessToken: generateRandomToken(),
        accessTokenExpiresAt: inOneHour(),
        client,
        user,
        scopes,
      }) as OAuthToken,
    issueRefreshToken: async (token: OAuthToken) => {
      token.refreshToken = generateRandomToken()
      token.refreshTokenExpiresAt = inOneHour()
      await this.tokens.persist(token)
      return token
    },
    persist: async (token: OAuthToken) => {
      this.#accessTokens.set(token.accessToken, token)
      if (typeof token.refreshToken === 'string') this.#refreshTokens.set(token.refreshToken, token)
    },
    revoke: async (token: OAuthToken) => {
      this.#accessTokens.delete(token.accessToken)
      this.#refreshTokens.delete(token.refreshToken ?? '')
    },
    isRefreshTokenRevoked: async (token: OAuthToken) => !this.#refreshTokens.has(token.refreshToken ?? ''),
    getByRefreshToken: async (token: string) => found(this.#refreshTokens.get(token)),
    getByAccessToken: async (token: string) => found(this.#accessTokens.get(token)),
  }

  newCode(): string {
    const code = generateRandomToken()
    this.#codes.set(code, {
      code,
      redirectUri: REDIRECT_URI,
      codeChallenge: CHALLENGE,
      codeChallengeMethod: 'S256',
      expiresAt: inOneHour(),
      client: CLIENT,
      user: USER,
      scopes: SCOPE_ENTITIES,
    })
    return code
  }

  newRefreshToken(): string {
    const refreshToken = generateRandomToken()
    const token: OAuthToken = {
      accessToken: generateRandomToken(),
      accessTokenExpiresAt: inOneHour(),
      refreshToken,
      refreshTokenExpiresAt: inOneHour(),
      client: CLIENT,
      user: USER,
      scopes: SCOPE_ENTITIES,
    }
    this.#refreshTokens.set(refreshToken, token)
    return refreshToken
  }
}

function found(token: OAuthToken | undefined): OAuthToken {
  if (token === undefined) throw OAuthException.invalidGrant()
  return token
}

function inOneHour(): Date {
  return new Date(Date.now() + 3_600_000)
}
