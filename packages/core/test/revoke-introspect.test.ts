import { describe, expect, it } from 'vitest'
import {
  bodyOf,
  type ClientAnswer,
  codeFor,
  credentials,
  refresh,
  register,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }

async function withTokens(metadata: object = {}, overrides = {}) {
  const service = openService()
  const client = await register(service, metadata)
  return { service, client, tokens: await tokensFor(service, client, overrides) }
}

function revoke(service: Service, client: ClientAnswer, token: string, more: Record<string, string> = {}) {
  return service.send('POST', '/api/oauth/revoke', { form: { token, ...credentials(client), ...more } })
}

function introspect(service: Service, client: ClientAnswer, token: string) {
  return service.send('POST', '/api/oauth/introspect', { form: { token, ...credentials(client) } })
}

function addApi({ server }: Service): Promise<ClientAnswer> {
  return server.clients.add({ clientName: 'API', redirectUris: [], resourceServer: true })
}

async function isLive(service: Service, token: string): Promise<boolean> {
  return (await service.callApi(token)).kind === 'authorized'
}

describe('revocation', () => {
  it('answers 200 with an empty JSON object', async () => {
    const { service, client, tokens } = await withTokens()
    const response = await revoke(service, client, tokens.access_token)
    expect([response.status, response.headers['content-type'], response.body]).toEqual([
      200,
      'application/json',
      '{}',
    ])
  })

  it.each(['refresh_token', 'nonsense', 'access_token'])(
    'RV-03, REQ-67: revoking an access token ends only that token at once, whatever the hint: %s',
    async (token_type_hint) => {
      const { service, client, tokens } = await withTokens()
      await revoke(service, client, tokens.access_token, { token_type_hint })
      expect(await isLive(service, tokens.access_token)).toBe(false)
      expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
    },
  )

  it.each(['refresh_token', 'access_token', 'unknown', 'x'.repeat(5000), '\0'])(
    'RV-03, REQ-67: revoking a refresh token ends its family at once, whatever the hint: %s',
    async (token_type_hint) => {
      const { service, client, tokens } = await withTokens()
      const next = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
      await revoke(service, client, next.refresh_token, { token_type_hint })
      expect([await isLive(service, tokens.access_token), await isLive(service, next.access_token)]).toEqual([
        false,
        false,
      ])
      expect(bodyOf(await refresh(service, client, next.refresh_token)).error).toBe('invalid_grant')
    },
  )

  it('RV-03: a refresh token that was rotated in the meantime also revokes the family', async () => {
    const { service, client, tokens } = await withTokens()
    const next = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    await revoke(service, client, tokens.refresh_token)
    expect(await isLive(service, next.access_token)).toBe(false)
  })

  it.each([
    'unknown',
    `gka_${'x'.repeat(22)}.${'y'.repeat(43)}`,
    `gkr_${'x'.repeat(22)}.${'y'.repeat(22)}.0.${'z'.repeat(43)}`,
    'gka_x.y',
    'gkr_x',
    '\0',
    'é',
    'x'.repeat(60_000),
  ])('RV-02, REQ-66: every invalid token is a success with the same response: %#', async (token) => {
    const { service, client, tokens } = await withTokens()
    await revoke(service, client, tokens.access_token)
    const alike = await revoke(service, client, token)
    expect([alike.status, alike.body, alike.headers['cache-control']]).toEqual([200, '{}', 'no-store'])
    expect(await revoke(service, client, tokens.access_token)).toEqual(alike)
    expect(await revoke(service, client, tokens.id_token)).toEqual(alike)
  })

  it.each([{}, CONFIDENTIAL])(
    'RV-01, REQ-66: a token of another client is not revoked, and stays valid: %j',
    async (metadata) => {
      const { service, client, tokens } = await withTokens(metadata)
      const thief = await register(service, metadata)
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        expect(bodyOf(await revoke(service, thief, token)).error).toBe('invalid_grant')
      }
      expect(await isLive(service, tokens.access_token)).toBe(true)
      expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
    },
  )

  it('returns 200 for an invalid token of any client', async () => {
    const { service, tokens } = await withTokens()
    const other = await register(service)
    service.clock.now += 3600
    expect((await revoke(service, other, tokens.access_token)).status).toBe(200)
  })

  it('does not revoke the other access tokens of the grant', async () => {
    const { service, client, tokens } = await withTokens()
    const next = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    await revoke(service, client, tokens.access_token)
    expect([await isLive(service, tokens.access_token), await isLive(service, next.access_token)]).toEqual([
      false,
      true,
    ])
  })

  it('emits one event per revoked token', async () => {
    const { service, client, tokens } = await withTokens()
    const logged = () => service.events.filter(({ type }) => type === 'access_token_revoked')
    const once = [{ type: 'access_token_revoked', grantId: expect.any(String), clientId: client.clientId }]
    await revoke(service, client, tokens.access_token)
    expect(logged()).toEqual(once)
    await revoke(service, client, tokens.access_token)
    expect(logged(), 'no event for an invalid token').toEqual(once)
  })

  it('RV-04, REQ-67: a confidential client needs its secret, a public one its id', async () => {
    const { service, client, tokens } = await withTokens(CONFIDENTIAL)
    expect((await revoke(service, { clientId: client.clientId }, tokens.access_token)).status).toBe(401)
    for (const client_secret of ['', 'wrong'])
      expect(
        (await revoke(service, { ...client, clientSecret: client_secret }, tokens.access_token)).status,
      ).toBe(401)
    expect((await revoke(service, { clientId: '' }, tokens.access_token)).status).toBe(401)
    const publicClient = await register(service)
    const theirs = await tokensFor(service, publicClient)
    const pretending = { ...publicClient, clientSecret: 'x' }
    expect((await revoke(service, pretending, theirs.refresh_token)).status).toBe(401)
    expect((await revoke(service, { clientId: '' }, theirs.refresh_token)).status).toBe(401)
    expect((await revoke(service, publicClient, theirs.refresh_token)).status).toBe(200)
    expect(await isLive(service, tokens.access_token)).toBe(true)
    expect((await revoke(service, client, tokens.access_token)).status).toBe(200)
  })

  it('RV-02, REQ-67: a request without a token, or with two, is malformed', async () => {
    const { service, client } = await withTokens()
    expect(bodyOf(await revoke(service, client, ''))).toEqual({
      error: 'invalid_request',
      error_description: 'token is missing',
    })
    const twice = await service.send('POST', '/api/oauth/revoke', {
      form: [
        ['token', 'a'],
        ['token', 'b'],
        ['client_id', client.clientId],
      ],
    })
    expect(bodyOf(twice).error_description).toBe('token must not be repeated')
  })
})

describe('introspection', () => {
  it('D9, REQ-68: describes an access token to its own client', async () => {
    const { service, client, tokens } = await withTokens(CONFIDENTIAL, {
      scope: 'courses:read',
      resource: `${ISSUER}/mcp`,
    })
    expect(bodyOf(await introspect(service, client, tokens.access_token))).toEqual({
      active: true,
      scope: 'courses:read',
      client_id: client.clientId,
      sub: 'alice',
      aud: `${ISSUER}/mcp`,
      iss: ISSUER,
      iat: service.clock.now,
      exp: service.clock.now + 3600,
      token_type: 'Bearer',
    })
  })

  it('names all scopes of a token, with spaces between them', async () => {
    const { service, client, tokens } = await withTokens(CONFIDENTIAL)
    expect(bodyOf(await introspect(service, client, tokens.access_token)).scope).toBe(
      'openid profile courses:read',
    )
  })

  it('shows the issue time of a refresh token, which for a successor is the time of the rotation', async () => {
    const { service, client, tokens } = await withTokens(CONFIDENTIAL)
    const issuedAt = service.clock.now
    service.clock.now += 10
    expect(bodyOf(await introspect(service, client, tokens.refresh_token)).iat).toBe(issuedAt)
    const next = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    service.clock.now += 10
    expect(bodyOf(await introspect(service, client, next.refresh_token)).iat).toBe(issuedAt + 10)
  })

  it('lists every resource as audience of a token without a resource', async () => {
    const { service, client, tokens } = await withTokens(CONFIDENTIAL)
    expect(bodyOf(await introspect(service, client, tokens.access_token)).aud).toEqual([
      ISSUER,
      `${ISSUER}/mcp`,
    ])
  })

  it('RF-01, REQ-43: of refresh tokens only the current one is described, and none is called a Bearer token', async () => {
    const { service, client, tokens } = await withTokens(CONFIDENTIAL)
    const active = bodyOf(await introspect(service, client, tokens.refresh_token))
    expect(active).toMatchObject({ active: true, exp: service.clock.now + 30 * 24 * 3600 })
    expect(active).not.toHaveProperty('token_type')
    await refresh(service, client, tokens.refresh_token)
    expect(bodyOf(await introspect(service, client, tokens.refresh_token))).toEqual({ active: false })
  })

  it('D9, REQ-68: describes a foreign token to a resource server, and to no other client', async () => {
    const { service, tokens } = await withTokens()
    const api = await addApi(service)
    const other = await service.server.clients.add({ clientName: 'Other', redirectUris: [REDIRECT_URI] })
    expect(bodyOf(await introspect(service, api, tokens.access_token)).active).toBe(true)
    expect((await introspect(service, other, tokens.access_token)).body).toBe('{"active":false}')
  })

  it('shows the e-mail address of the user to a resource server alone, if the token has the scope email', async () => {
    const { service, client, tokens } = await withTokens(CONFIDENTIAL, { scope: 'openid email' })
    const api = await addApi(service)
    const seen = async (caller: typeof api, token: string) =>
      bodyOf<Record<string, unknown>>(await introspect(service, caller, token))
    const email = { email: 'alice@server.example', email_verified: true }
    expect(await seen(api, tokens.access_token)).toMatchObject({ sub: 'alice', ...email })
    expect(await seen(client, tokens.access_token)).not.toHaveProperty('email')
    const narrow = bodyOf<TokenAnswer>(
      await refresh(service, client, tokens.refresh_token, { scope: 'openid' }),
    )
    expect(await seen(api, narrow.access_token)).not.toHaveProperty('email')
  })

  it('REQ-68: describes a refresh token to its client only, and codes to no caller', async () => {
    const { service, client, tokens } = await withTokens(CONFIDENTIAL)
    const api = await addApi(service)
    expect(bodyOf(await introspect(service, client, tokens.refresh_token)).active).toBe(true)
    expect((await introspect(service, api, tokens.refresh_token)).body).toBe('{"active":false}')
    const code = await codeFor(service, client.clientId)
    for (const caller of [client, api])
      expect((await introspect(service, caller, code)).body).toBe('{"active":false}')
  })

  it('REQ-52, REQ-68: returns only inactive for an invalid, foreign or malformed token', async () => {
    const { service, client, tokens } = await withTokens(CONFIDENTIAL)
    service.clock.now += 3600
    for (const token of [
      tokens.access_token,
      tokens.id_token,
      'nonsense',
      `gka_${'x'.repeat(22)}.${'y'.repeat(43)}`,
    ]) {
      expect((await introspect(service, client, token)).body).toBe('{"active":false}')
    }
  })

  it('D9, REQ-68: is not for public clients', async () => {
    const { service, client, tokens } = await withTokens()
    const response = await introspect(service, client, tokens.access_token)
    expect([response.status, bodyOf(response).error]).toEqual([401, 'invalid_client'])
  })
})
