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
import { delayed } from '../../../../packages/test-servers/src/delayed.ts'
import { listen } from '../../src/machine.ts'
import { type Approval, approved, CALLBACK, PUBLIC_CLIENTS, type StartRaced } from './raced-server.ts'

const SCOPE = ['notes:read']
const CLIENTS: readonly Client[] = PUBLIC_CLIENTS.map(({ id }) => ({
  id,
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [CALLBACK],
}))

export const start: StartRaced = async (port) => {
  const issuer = `http://127.0.0.1:${port}`
  const { model, newCode } = createModel()
  const requireClientAuthentication = { authorization_code: false, refresh_token: false }
  const oauth = new OAuth2Server({ model: delayed(model), requireClientAuthentication })
  const app = express().disable('x-powered-by')
  app.get('/approve', async (incoming, outgoing) => {
    outgoing.redirect(await approved(new URL(incoming.originalUrl, issuer), newCode))
  })
  app.post('/token', express.urlencoded({ extended: false }), (incoming, outgoing) =>
    answered(incoming, outgoing, (request, response) => oauth.token(request, response)),
  )
  app.get('/notes', (incoming, outgoing) =>
    answered(incoming, outgoing, (request, response) => oauth.authenticate(request, response)),
  )
  await listen(createServer(app), port)
  const at = (path: string) => `${issuer}/${path}`
  const endpoints = { token: at('token'), authorization: at('approve'), userinfo: at('notes') }
  return { issuer, endpoints, clients: PUBLIC_CLIENTS, scope: SCOPE }
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
      .set(response.headers ?? {})
      .status(response.status ?? 200)
      .json(response.body)
  } catch (error) {
    const { code = 500, name } = error as { code?: number; name?: string }
    outgoing.status(code).json({ error: name })
  }
}

/** A model in maps. As in its documentation, a revocation deletes, and answers whether there was something to delete. */
function createModel() {
  const codes = new Map<string, AuthorizationCode>()
  const accessTokens = new Map<string, Token>()
  const refreshTokens = new Map<string, Token>()
  const model: AuthorizationCodeModel & RefreshTokenModel = {
    getClient: async (id) => CLIENTS.find((client) => client.id === id) ?? false,
    saveAuthorizationCode: async () => undefined,
    getAuthorizationCode: async (code) => codes.get(code),
    revokeAuthorizationCode: async ({ authorizationCode }) => codes.delete(authorizationCode),
    async saveToken(token, client, user) {
      const saved = { ...token, client, user }
      accessTokens.set(token.accessToken, saved)
      refreshTokens.set(token.refreshToken ?? '', saved)
      return saved
    },
    getAccessToken: async (token) => accessTokens.get(token),
    getRefreshToken: async (token) => refreshTokens.get(token) as never,
    revokeToken: async ({ refreshToken }) => refreshTokens.delete(refreshToken),
    verifyScope: async ({ scope = [] }, wanted) => wanted.every((name) => scope.includes(name)),
  }
  async function newCode({ clientId, challenge }: Approval): Promise<string> {
    const authorizationCode = randomBytes(32).toString('hex')
    const client = CLIENTS.find(({ id }) => id === clientId)
    if (client === undefined) throw new Error(`There is no client ${clientId}`)
    const pkce = { codeChallenge: challenge, codeChallengeMethod: 'S256', redirectUri: CALLBACK }
    const owned = { scope: SCOPE, client, user: { id: 'alice' } }
    const expiresAt = new Date(Date.now() + 60_000)
    codes.set(authorizationCode, { ...owned, ...pkce, authorizationCode, expiresAt })
    return authorizationCode
  }
  return { model, newCode }
}
