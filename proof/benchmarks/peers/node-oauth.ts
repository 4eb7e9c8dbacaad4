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
import { listen } from '../src/machine.ts'
import { CHALLENGE, REDIRECT_URI, SCOPES, SUBJECT, targetOf } from '../src/requests.ts'
import type { StartTarget } from '../src/workloads.ts'

const CLIENT: Client = {
  id: 'native',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [REDIRECT_URI],
}
const OWNED = { scope: SCOPES, client: CLIENT, user: { id: SUBJECT } }

/** Without its Express wrapper, which would only add a layer. It has no introspection. */
export const start: StartTarget = async (port) => {
  const { model, newCode, newTokens } = createModel()
  const requireClientAuthentication = { authorization_code: false, refresh_token: false }
  const oauth = new OAuth2Server({ model, requireClientAuthentication })
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
  return targetOf({ clientId: CLIENT.id, newCode, newTokens, notes: '/notes' })
}

async function answered(
  incoming: Incoming,
  outgoing: Outgoing,
  handle: (request: Request, response: Response) => Promise<unknown>,
): Promise<void> {
  const response = new Response({ headers: {} })
  try {
    await handle(new Request(incoming), response)
    const { headers = {}, status = 200, body } = response
    outgoing.set(headers).status(status).json(body)
  } catch (error) {
    outgoing.status((error as { code?: number }).code ?? 500).json({ error: String(error) })
  }
}

/** Keeps everything in maps, with tokens in clear text as in its documentation. */
function createModel() {
  const codes = new Map<string, AuthorizationCode>()
  const accessTokens = new Map<string, Token>()
  const refreshTokens = new Map<string, Token>()
  const keep = (token: Token) => {
    accessTokens.set(token.accessToken, token)
    refreshTokens.set(token.refreshToken ?? '', token)
    return token
  }
  const model: AuthorizationCodeModel & RefreshTokenModel = {
    getClient: async (id) => id === CLIENT.id && CLIENT,
    saveAuthorizationCode: async () => undefined,
    getAuthorizationCode: async (code) => codes.get(code),
    revokeAuthorizationCode: async ({ authorizationCode }) => codes.delete(authorizationCode),
    saveToken: async (token, client, user) => keep({ ...token, client, user }),
    getAccessToken: async (token) => accessTokens.get(token),
    getRefreshToken: async (token) => refreshTokens.get(token) as never,
    revokeToken: async ({ refreshToken }) => refreshTokens.delete(refreshToken),
    verifyScope: async ({ scope = [] }, wanted) => wanted.every((name) => scope.includes(name)),
  }
  return {
    model,
    newCode() {
      const authorizationCode = newSecret()
      const pkce = { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256', redirectUri: REDIRECT_URI }
      codes.set(authorizationCode, { ...OWNED, ...pkce, authorizationCode, expiresAt: inSeconds(600) })
      return authorizationCode
    },
    newTokens() {
      const [accessToken, refreshToken] = [newSecret(), newSecret()]
      const ends = { accessTokenExpiresAt: inSeconds(3600), refreshTokenExpiresAt: inSeconds(1_209_600) }
      keep({ ...OWNED, ...ends, accessToken, refreshToken })
      return { access_token: accessToken, refresh_token: refreshToken }
    },
  }
}

function newSecret(): string {
  return randomBytes(32).toString('hex')
}

function inSeconds(seconds: number): Date {
  return new Date(Date.now() + seconds * 1000)
}
