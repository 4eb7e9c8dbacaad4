import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type { OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import express from 'express'
import { listen } from '../src/machine.ts'
import { CHALLENGE, CLIENT_METADATA, REDIRECT_URI, SCOPES, targetOf } from '../src/requests.ts'
import type { StartTarget } from '../src/workloads.ts'

const clientId = 'native'
const CLIENT = { ...CLIENT_METADATA, client_id: clientId } as unknown as OAuthClientInformationFull
const UNLIMITED = { rateLimit: false } as const

/** Its router without the rate limits. The application implements the endpoints: here, with maps. */
export const start: StartTarget = async (port) => {
  const { provider, newCode, newTokens } = createProvider()
  const app = express().disable('x-powered-by').disable('etag')
  const issuerUrl = new URL(`http://127.0.0.1:${port}`)
  app.use(mcpAuthRouter({ provider, issuerUrl, scopesSupported: SCOPES, tokenOptions: UNLIMITED }))
  const guard = requireBearerAuth({ verifier: provider, requiredScopes: ['notes:read'] })
  app.get('/notes', guard, (request, response) => {
    response.json({ owner: request.auth?.clientId })
  })
  await listen(createServer(app), port)
  return targetOf({ clientId, newCode, newTokens, notes: '/notes' })
}

function createProvider() {
  const codes = new Map<string, { clientId: string; challenge: string; redirectUri: string }>()
  const accessTokens = new Map<string, AuthInfo>()
  const refreshTokens = new Map<string, { clientId: string; scopes: string[] }>()
  function newTokens(scopes = SCOPES): OAuthTokens {
    const [token, refresh_token] = [newSecret(), newSecret()]
    const expiresAt = Math.floor(Date.now() / 1000) + 3600
    accessTokens.set(token, { token, clientId, scopes, expiresAt })
    refreshTokens.set(refresh_token, { clientId, scopes })
    const scope = scopes.join(' ')
    return { access_token: token, token_type: 'bearer', expires_in: 3600, scope, refresh_token }
  }
  const provider: OAuthServerProvider = {
    clientsStore: { getClient: async (id) => (id === clientId ? CLIENT : undefined) },
    async authorize() {},
    challengeForAuthorizationCode: async (_client, code) => codes.get(code)?.challenge ?? '',
    async exchangeAuthorizationCode({ client_id }, code, _verifier, redirectUri) {
      const found = codes.get(code)
      codes.delete(code)
      if (found?.clientId !== client_id || found.redirectUri !== redirectUri)
        throw new InvalidGrantError('Unknown code')
      return newTokens()
    },
    async exchangeRefreshToken({ client_id }, refreshToken) {
      const found = refreshTokens.get(refreshToken)
      refreshTokens.delete(refreshToken)
      if (found?.clientId !== client_id) throw new InvalidGrantError('Unknown refresh token')
      return newTokens(found.scopes)
    },
    async verifyAccessToken(token) {
      const found = accessTokens.get(token)
      if (found === undefined) throw new InvalidTokenError('Unknown token')
      return found
    },
  }
  function newCode(): string {
    const code = newSecret()
    codes.set(code, { clientId, challenge: CHALLENGE, redirectUri: REDIRECT_URI })
    return code
  }
  return { provider, newCode, newTokens }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
