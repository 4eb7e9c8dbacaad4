import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** Registration with a token of the operator, by an independent client library. */

let server: RunningServer
beforeAll(async () => {
  server = await runServer({ INITIAL_ACCESS_TOKENS: 'on' })
})
afterAll(() => server.close())

const register = (initialAccessToken?: string) =>
  oidc.dynamicClientRegistration(
    new URL(server.baseUrl),
    { redirect_uris: ['http://127.0.0.1:7001/callback'], token_endpoint_auth_method: 'none' },
    oidc.None(),
    { execute: [oidc.allowInsecureRequests], ...(initialAccessToken && { initialAccessToken }) },
  )

it('openid-client registers with an initial access token as often as it has uses, and not without one', async () => {
  const { token } = await server.clients.addInitialAccessToken({ label: 'Partner', uses: 2 })
  for (const _ of [1, 2])
    expect((await register(token)).clientMetadata().client_id).toEqual(expect.any(String))
  for (const refused of [token, `${token}x`, undefined])
    await expect(register(refused)).rejects.toMatchObject({ status: 401 })
})
