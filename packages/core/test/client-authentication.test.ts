import { describe, expect, it } from 'vitest'
import {
  bodyOf,
  type ClientAnswer,
  codeFor,
  credentials,
  redeem,
  refresh,
  register,
  requestToken,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { openService, REDIRECT_URI, type Service, VERIFIER } from './service.ts'

/** A client authenticates with its registered method, or is rejected. */

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

async function withClient(metadata: object = {}): Promise<{ service: Service; client: ClientAnswer }> {
  const service = openService()
  return { service, client: await register(service, metadata) }
}

describe('client authentication', () => {
  it('CA-14: a header that comes twice authenticates no client, and consumes nothing', async () => {
    const { service, client } = await withClient({ token_endpoint_auth_method: 'client_secret_basic' })
    const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`
    const [good, other] = [basic(`${client.clientId}:${client.clientSecret}`), basic('other:secret')]
    const code = await codeFor(service, client.clientId)
    const redeemBy = async (authorization: string | string[]) => {
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT_URI,
        code_verifier: VERIFIER,
      }
      const { status, headers } = await service.send('POST', '/api/oauth/token', {
        form,
        headers: { authorization },
      })
      return [status, headers['www-authenticate']]
    }
    for (const two of [
      [good, good],
      [good, other],
      [other, good],
    ])
      expect(await redeemBy(two)).toEqual([401, expect.stringMatching(/^Basic realm="oauth"/)])
    expect((await redeemBy(good))[0]).toBe(200)
  })

  it('CA-01, REQ-36: a confidential client without its secret is rejected, and nothing is consumed', async () => {
    const { service, client } = await withClient(CONFIDENTIAL)
    const secret = client.clientSecret ?? ''
    const wrong = [undefined, '', 'wrong', 'null', `${secret}x`, secret.slice(1), `${secret} `, '\0']
    const code = await codeFor(service, client.clientId)
    for (const client_secret of wrong) {
      const answer = await redeem(service, client, code, { client_secret })
      expect([answer.status, bodyOf(answer).error], client_secret).toEqual([401, 'invalid_client'])
      expect(answer.headers).not.toHaveProperty('www-authenticate')
    }
    for (const client_secret of ['s'.repeat(4000), 's'.repeat(60_000)])
      expect((await redeem(service, client, code, { client_secret })).status).toBe(400)
    const { clientId: client_id } = client
    const twice = Object.entries({ grant_type: 'authorization_code', client_id, code, client_secret: secret })
    const answer = await requestToken(service, [...twice, ['client_secret', 'x']])
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_request'])
    const served = await redeem(service, client, code)
    expect(served.status).toBe(200)
    const { refresh_token } = bodyOf<TokenAnswer>(served)
    for (const client_secret of wrong)
      expect((await refresh(service, client, refresh_token, { client_secret })).status).toBe(401)
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
  })

  it.each<[string, Record<string, string | undefined>[]]>([
    [
      'CA-02, REQ-36: a public client that sends a secret is refused, whatever the secret',
      ['x', 'undefined', 'null'].map((client_secret) => ({ client_secret })),
    ],
    [
      'CA-05: an assertion is not offered, and its sender is not taken for a public client',
      [
        { client_assertion_type: ASSERTION_TYPE },
        ...['x', 'eyJhbGciOiJub25lIn0.e30.', 'eyJhbGciOiJIUzI1NiJ9.e30.x'].flatMap((client_assertion) => [
          { client_assertion },
          { client_assertion, client_assertion_type: ASSERTION_TYPE },
        ]),
      ],
    ],
    [
      'REQ-34, REQ-36: a request without a client_id, or with an unknown one, is rejected with 401',
      [undefined, '', 'unknown', 'ABCDEF', ' ', '__proto__', '*', '\0', '../x'].map((client_id) => ({
        client_id,
      })),
    ],
  ])('%s', async (_, overrides) => {
    const { service, client } = await withClient()
    const code = await codeFor(service, client.clientId)
    for (const input of overrides) {
      const answer = await redeem(service, client, code, input)
      expect([answer.status, bodyOf(answer).error], JSON.stringify(input)).toEqual([401, 'invalid_client'])
      expect(answer.headers).not.toHaveProperty('www-authenticate')
    }
    expect((await redeem(service, client, code)).status).toBe(200)
  })

  it('D12, REQ-36: a client_id that is almost right is an unknown client', async () => {
    const { service, client } = await withClient()
    const code = await codeFor(service, client.clientId)
    for (const client_id of [client.clientId.slice(1), `${client.clientId}0`])
      expect((await redeem(service, client, code, { client_id })).status).toBe(401)
  })

  it('accepts a confidential client with its secret', async () => {
    const { service, client } = await withClient(CONFIDENTIAL)
    expect(client.clientSecret).toMatch(/^[\w-]{43}$/)
    expect((await redeem(service, client, await codeFor(service, client.clientId))).status).toBe(200)
  })

  it('REQ-35: a grant type that is not supported or not registered is rejected with its own error', async () => {
    const { service, client } = await withClient({ grant_types: ['authorization_code'] })
    const tokens = await tokensFor(service, client)
    expect(tokens.refresh_token, 'nor is such a token issued').toBeUndefined()
    expect(bodyOf(await refresh(service, client, 'x')).error).toBe('unauthorized_client')
    const { clientId: client_id } = client
    for (const grant_type of [
      'password',
      'client_credentials',
      'implicit',
      'Authorization_code',
      'toString',
      'x ',
    ])
      expect(bodyOf(await requestToken(service, { client_id, grant_type })).error).toBe(
        'unsupported_grant_type',
      )
    for (const form of [{ client_id, grant_type: '' }, { client_id }])
      expect(bodyOf(await requestToken(service, form)).error).toBe('invalid_request')
  })
})

describe('HTTP Basic', () => {
  const basic = (id: string, secret = '') => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })
  const BY_BASIC = { token_endpoint_auth_method: 'client_secret_basic' }
  const POST_ONLY = { clientAuthentication: ['none', 'client_secret_post'] } as const

  /** Redeems a code with these headers, and exactly these credentials in the form. */
  function redeemBy(
    service: Service,
    code: string,
    headers: Record<string, string>,
    form: Record<string, string> = {},
  ) {
    const request = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
    }
    return service.send('POST', '/api/oauth/token', { form: { ...request, ...form }, headers })
  }

  it.each([CONFIDENTIAL, BY_BASIC])(
    'takes the secret by header or body from a client of %j',
    async (metadata) => {
      const { service, client } = await withClient(metadata)
      const { clientId: client_id, clientSecret: client_secret } = client
      const byHeader = basic(client_id, client_secret)
      expect((await redeemBy(service, await codeFor(service, client_id), byHeader)).status).toBe(200)
      expect((await redeem(service, client, await codeFor(service, client_id))).status).toBe(200)
      for (const path of ['/api/oauth/revoke', '/api/oauth/introspect'])
        for (const way of [{ headers: byHeader }, { form: credentials(client) }])
          expect(
            (await service.send('POST', path, { ...way, form: { token: 'x', ...way.form } })).status,
          ).toBe(200)
    },
  )

  it('CA-09: rejects a wrong secret with a challenge of its scheme, and consumes nothing', async () => {
    const { service, client } = await withClient(CONFIDENTIAL)
    const { clientId: client_id, clientSecret: client_secret = '' } = client
    const code = await codeFor(service, client_id)
    for (const secret of ['', 'wrong', `${client_secret} `, `${client_secret}:`, client_secret.slice(1)]) {
      const answer = await redeemBy(service, code, basic(client_id, secret))
      expect([answer.status, bodyOf(answer).error], secret).toEqual([401, 'invalid_client'])
      expect(answer.headers['www-authenticate']).toBe('Basic realm="oauth", charset="UTF-8"')
    }
    expect((await redeemBy(service, code, basic(client_id, 's'.repeat(201)))).status).toBe(400)
    expect((await redeemBy(service, code, basic(client_id, client_secret))).status).toBe(200)
  })

  it('CA-10, CA-15: rejects credentials in two places, in every combination, and another client_id in the body', async () => {
    const { service, client } = await withClient(CONFIDENTIAL)
    const other = await register(service, CONFIDENTIAL)
    const { clientId: client_id, clientSecret: client_secret = '' } = client
    const code = await codeFor(service, client_id)
    const [header, assertion] = [basic(client_id, client_secret), { client_assertion: 'x' }]
    const mixed: [Record<string, string>, Record<string, string>][] = [
      [header, { client_secret }],
      [header, credentials(client)],
      [header, credentials(other)],
      [header, assertion],
      [header, { client_assertion_type: ASSERTION_TYPE }],
      [{}, { ...credentials(client), ...assertion }],
      [{ authorization: 'Bearer x' }, credentials(client)],
      [basic(client_id), { client_secret }],
      [header, { client_id: other.clientId }],
      [basic(client_id), { client_id: other.clientId }],
    ]
    for (const [headers, form] of mixed) {
      const answer = await redeemBy(service, code, headers, form)
      expect([answer.status, bodyOf(answer).error], JSON.stringify([headers, form])).toEqual([
        400,
        'invalid_request',
      ])
    }
    expect((await redeemBy(service, code, header, { client_id })).status, 'the same client_id').toBe(200)
  })

  it('CA-11, CA-15: a client cannot redeem a code of another client, whatever the client_id in the body', async () => {
    const { service, client } = await withClient(CONFIDENTIAL)
    const other = await register(service, CONFIDENTIAL)
    const code = await codeFor(service, client.clientId)
    const stolen = await redeemBy(service, code, basic(other.clientId, other.clientSecret))
    expect([stolen.status, bodyOf(stolen).error]).toEqual([400, 'invalid_grant'])
    const swapped = await redeemBy(service, code, basic(client.clientId, other.clientSecret))
    expect([swapped.status, bodyOf(swapped).error]).toEqual([401, 'invalid_client'])
    expect((await redeem(service, client, code)).status).toBe(200)
  })

  it.each([{}, POST_ONLY])(
    'CA-12: takes an empty password for no secret, with the options %j',
    async (options) => {
      const service = openService(options)
      const [app, vault] = [await register(service), await register(service, CONFIDENTIAL)]
      const codes = [await codeFor(service, app.clientId), await codeFor(service, vault.clientId)] as const
      const answer = await redeemBy(service, codes[1], basic(vault.clientId))
      expect([answer.status, bodyOf(answer).error], 'a client with a secret').toEqual([401, 'invalid_client'])
      expect(
        (await redeemBy(service, codes[0], basic(app.clientId, 'x'))).status,
        'a secret it has not',
      ).toBe(401)
      expect((await redeemBy(service, codes[0], basic(app.clientId))).status, 'a public client').toBe(200)
      expect((await redeem(service, vault, codes[1])).status, 'lost nothing').toBe(200)
    },
  )

  it('CA-03, REQ-34: has an error that says what to do if it is not offered', async () => {
    const service = openService(POST_ONLY)
    const { clientId: client_id, clientSecret: client_secret } = await register(service, CONFIDENTIAL)
    const answer = await redeemBy(service, await codeFor(service, client_id), basic(client_id, client_secret))
    expect(answer.status).toBe(401)
    expect(bodyOf(answer)).toEqual({
      error: 'invalid_client',
      error_description: 'HTTP Basic is not supported here. Send client_id and client_secret in the body',
    })
    expect(answer.headers['www-authenticate']).toBe('Basic realm="oauth", charset="UTF-8"')
  })

  it.each(['Basic", error="x', 'B\u00e9', 'x'.repeat(5000), '<b>', ',,', 'Bearer'])(
    'CA-03: the scheme of a request is not reflected in the response: %j',
    async (authorization) => {
      const service = openService(POST_ONLY)
      const { clientId: client_id } = await register(service)
      const { status, headers } = await redeemBy(service, 'gkc_x', { authorization }, { client_id })
      const challenge = authorization === 'Bearer' ? 'Bearer realm="oauth"' : undefined
      expect([status, headers['www-authenticate']]).toEqual([401, challenge])
    },
  )

  it('is offered, registered and rejected as configured', async () => {
    const offered = (service: Service) => service.server.metadata.token_endpoint_auth_methods_supported
    expect(offered(openService())).toEqual(['none', 'client_secret_post', 'client_secret_basic'])
    const service = openService({ clientAuthentication: ['client_secret_basic'] })
    expect(offered(service)).toEqual(['client_secret_basic'])
    expect(await register(service), 'none is not offered').toMatchObject({ error: 'invalid_client_metadata' })
    expect(await register(service, BY_BASIC)).toMatchObject(BY_BASIC)
    const added = { clientName: 'Zap', redirectUris: ['https://zap.example/cb'] }
    expect(await service.server.clients.add(added)).toMatchObject({
      tokenEndpointAuthMethod: 'client_secret_basic',
    })
    const clientAuthentication = ['none', 'basic'] as never
    expect(() => openService({ clientAuthentication })).toThrow('clientAuthentication: basic must be one of')
  })
})
