import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type {
  AuthorizationParams,
  OAuthServerProvider,
} from '@modelcontextprotocol/sdk/server/auth/provider.js'
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import express, { type Response } from 'express'
import { bearerGet } from '../src/http-text.ts'
import { listen } from '../src/listen.ts'
import {
  authorizeWork,
  codeWork,
  metadataWork,
  protectedWork,
  refreshWork,
  registerWork,
} from '../src/requests.ts'
import { CHALLENGE, CLIENT_METADATA, REDIRECT_URI, SCOPES } from '../src/sample.ts'
import type { StartTarget } from '../src/target.ts'

const CLIENT = { ...CLIENT_METADATA, client_id: 'native' } as unknown as OAuthClientInformationFull
const UNLIMITED = { rateLimit: false } as const

/** Its router without the rate limits. The application implements the endpoints: here, with maps. */
export const start: StartTarget = async (port) => {
  const provider = new Provider()
  const app = express().disable('x-powered-by').disable('etag')
  app.use(
    mcpAuthRouter({
      provider,
      issuerUrl: new URL(`http://127.0.0.1:${port}`),
      scopesSupported: SCOPES,
      authorizationOptions: UNLIMITED,
      clientRegistrationOptions: UNLIMITED,
      revocationOptions: UNLIMITED,
      tokenOptions: UNLIMITED,
    }),
  )
  const guard = requireBearerAuth({ verifier: provider, requiredScopes: ['notes:read'] })
  app.get('/notes', guard, (request, response) => {
    response.json({ owner: request.auth?.clientId })
  })
  await listen(createServer(app), port)
  return {
    opens: (token) => bearerGet('/notes', token),
    work: {
      register: registerWork('/register'),
      code: codeWork('/token', CLIENT.client_id, () => provider.newCode()),
      refresh: refreshWork('/token', CLIENT.client_id, () => provider.newTokens().refresh_token ?? ''),
      protected: protectedWork('/notes', () => provider.newTokens().access_token),
      authorize: authorizeWork('/authorize', CLIENT.client_id),
      metadata: metadataWork(),
    },
  }
}

class Provider implements OAuthServerProvider {
  readonly #clients = new Map([[CLIENT.client_id, CLIENT]])
  readonly #codes = new Map<string, { clientId: string; challenge: string; redirectUri: string }>()
  readonly #accessTokens = new Map<string, AuthInfo>()
  readonly #refreshTokens = new Map<string, { clientId: string; scopes: string[] }>()

  readonly clientsStore = {
    getClient: async (clientId: string) => this.#clients.get(clientId),
    registerClient: async (client: Partial<OAuthClientInformationFull>) => {
      const registered = client as OAuthClientInformationFull
      this.#clients.set(registered.client_id, registered)
      return registered
    },
  }

  async authorize(client: OAuthClientInformationFull, params: AuthorizationParams, response: Response) {
    response.redirect(`/login?${new URLSearchParams({ client: client.client_id, to: params.redirectUri })}`)
  }

  async challengeForAuthorizationCode(_client: OAuthClientInformationFull, code: string) {
    return this.#codes.get(code)?.challenge ?? ''
  }

  async exchangeAuthorizationCode(
    client: OAuthClientInformationFull,
    code: string,
    _verifier?: string,
    redirectUri?: string,
  ) {
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    if (found?.clientId !== client.client_id || found.redirectUri !== redirectUri)
      throw new InvalidGrantError('Unknown code')
    return this.newTokens()
  }

  async exchangeRefreshToken(client: OAuthClientInformationFull, refreshToken: string) {
    const found = this.#refreshTokens.get(refreshToken)
    this.#refreshTokens.delete(refreshToken)
    if (found?.clientId !== client.client_id) throw new InvalidGrantError('Unknown refresh token')
    return this.newTokens(found.scopes)
  }

  async verifyAccessToken(token: string) {
    const found = this.#accessTokens.get(token)
    if (found === undefined) throw new InvalidTokenError('Unknown token')
    return found
  }

  newCode(): string {
    const code = newSecret()
    this.#codes.set(code, { clientId: CLIENT.client_id, challenge: CHALLENGE, redirectUri: REDIRECT_URI })
    return code
  }

  newTokens(scopes = SCOPES): OAuthTokens {
    const [token, refreshToken, clientId] = [newSecret(), newSecret(), CLIENT.client_id]
    const expiresAt = Math.floor(Date.now() / 1000) + 3600
    this.#accessTokens.set(token, { token, clientId, scopes, expiresAt })
    this.#refreshTokens.set(refreshToken, { clientId, scopes })
    return {
      access_token: token,
      token_type: 'bearer',
      expires_in: 3600,
      scope: scopes.join(' '),
      refresh_token: refreshToken,
    }
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
