import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import OAuth2Server, {
  type AuthorizationCode,
  type AuthorizationCodeModel,
  type Client,
  type RefreshTokenModel,
  Request,
  Response,
  type Token,
} from '@node-oauth/oauth2-server'
import express, { type Request as Incoming, type Response as Outgoing } from 'express'
import { bearerGet } from '../src/http-text.ts'
import { listen } from '../src/listen.ts'
import { codeWork, protectedWork, refreshWork } from '../src/requests.ts'
import { CHALLENGE, REDIRECT_URI, SCOPES, SUBJECT } from '../src/sample.ts'
import type { StartTarget } from '../src/target.ts'

const CLIENT: Client = {
  id: 'native',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [REDIRECT_URI],
}
const USER = { id: SUBJECT }

/** Without its Express wrapper, which would only add a layer. It has no registration and no introspection. */
export const start: StartTarget = async (port) => {
  const model = new Model()
  const oauth = new OAuth2Server({
    model,
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  })
  const app = express().disable('x-powered-by').disable('etag')
  app.post('/token', express.urlencoded({ extended: false }), (incoming, outgoing) =>
    answered(incoming, outgoing, (request, response) => oauth.token(request, response)),
  )
  app.get('/notes', (incoming, outgoing) =>
    answered(incoming, outgoing, async (request, response) => {
      const token = await oauth.authenticate(request, response, { scope: ['notes:read'] })
      response.body = { owner: token.user.id }
    }),
  )
  await listen(createServer(app), port)
  return {
    opens: (token) => bearerGet('/notes', token),
    work: {
      code: codeWork('/token', CLIENT.id, () => model.newCode()),
      refresh: refreshWork('/token', CLIENT.id, () => model.newToken().refreshToken ?? ''),
      protected: protectedWork('/notes', () => model.newToken().accessToken),
    },
  }
}

async function answered(
  incoming: Incoming,
  outgoing: Outgoing,
  handle: (request: Request, response: Response) => Promise<unknown>,
): Promise<void> {
  const response = new Response({ headers: {} })
  try {
    await handle(new Request(incoming), response)
    outgoing
      .set(response.headers)
      .status(response.status ?? 200)
      .json(response.body)
  } catch (error) {
    outgoing.status((error as { code?: number }).code ?? 500).json({ error: String(error) })
  }
}

/** Keeps everything in maps, with tokens in clear text as in its documentation. */
class Model implements AuthorizationCodeModel, RefreshTokenModel {
  readonly #codes = new Map<string, AuthorizationCode>()
  readonly #accessTokens = new Map<string, Token>()
  readonly #refreshTokens = new Map<string, Token>()

  async getClient(id: string) {
    return id === CLIENT.id ? CLIENT : undefined
  }

  async saveAuthorizationCode() {
    return undefined
  }

  async getAuthorizationCode(code: string) {
    return this.#codes.get(code)
  }

  async revokeAuthorizationCode({ authorizationCode }: AuthorizationCode) {
    return this.#codes.delete(authorizationCode)
  }

  async saveToken(token: Token, client: Client, user: object) {
    const saved = { ...token, client, user }
    this.#accessTokens.set(saved.accessToken, saved)
    this.#refreshTokens.set(saved.refreshToken ?? '', saved)
    return saved
  }

  async getAccessToken(token: string) {
    return this.#accessTokens.get(token)
  }

  async getRefreshToken(token: string) {
    return this.#refreshTokens.get(token) as never
  }

  async revokeToken({ refreshToken }: { refreshToken?: string }) {
    return this.#refreshTokens.delete(refreshToken ?? '')
  }

  async verifyScope({ scope = [] }: Token, wanted: string[]) {
    return wanted.every((name) => scope.includes(name))
  }

  newCode(): string {
    const code: AuthorizationCode = {
      authorizationCode: randomBytes(32).toString('hex'),
      expiresAt: new Date(Date.now() + 300_000),
      redirectUri: REDIRECT_URI,
      scope: SCOPES,
      client: CLIENT,
      user: USER,
      codeChallenge: CHALLENGE,
      codeChallengeMethod: 'S256',
    }
    this.#codes.set(code.authorizationCode, code)
    return code.authorizationCode
  }

  newToken(): Token {
    const token: Token = {
      accessToken: randomBytes(32).toString('hex'),
      accessTokenExpiresAt: new Date(Date.now() + 3_600_000),
      refreshToken: randomBytes(32).toString('hex'),
      refreshTokenExpiresAt: new Date(Date.now() + 1_209_600_000),
      scope: SCOPES,
      client: CLIENT,
      user: USER,
    }
    this.#accessTokens.set(token.accessToken, token)
    this.#refreshTokens.set(token.refreshToken ?? '', token)
    return token
  }
}
