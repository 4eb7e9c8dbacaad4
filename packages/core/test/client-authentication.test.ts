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
import { openSchool, type School } from './school.ts'

/** A client authenticates with its registered method, or gets nothing. */

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

async function withClient(metadata: object = {}): Promise<{ school: School; client: ClientAnswer }> {
  const school = openSchool()
  return { school, client: await register(school, metadata) }
}

describe('client authentication', () => {
  it('CA-01, REQ-36: a confidential client without its secret gets nothing, and loses nothing by it', async () => {
    const { school, client } = await withClient(CONFIDENTIAL)
    const secret = client.client_secret ?? ''
    const wrong = [undefined, '', 'wrong', 'null', `${secret}x`, secret.slice(1), `${secret} `, '\0']
    const code = await codeFor(school, client.client_id)
    for (const client_secret of wrong) {
      const answer = await redeem(school, client, code, { client_secret })
      expect([answer.status, bodyOf(answer).error], client_secret).toEqual([401, 'invalid_client'])
      expect(answer.headers).not.toHaveProperty('www-authenticate')
    }
    for (const client_secret of ['s'.repeat(4000), 's'.repeat(60_000)])
      expect((await redeem(school, client, code, { client_secret })).status).toBe(400)
    const { client_id } = client
    const twice = Object.entries({ grant_type: 'authorization_code', client_id, code, client_secret: secret })
    const answer = await requestToken(school, [...twice, ['client_secret', 'x']])
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_request'])
    const served = await redeem(school, client, code)
    expect(served.status).toBe(200)
    const { refresh_token } = bodyOf<TokenAnswer>(served)
    for (const client_secret of wrong)
      expect((await refresh(school, client, refresh_token, { client_secret })).status).toBe(401)
    expect((await refresh(school, client, refresh_token)).status).toBe(200)
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
      'REQ-34, REQ-36: a client that does not say who it is, or is nobody, is refused with 401',
      [undefined, '', 'nobody', 'ABCDEF', ' ', '__proto__', '*', '\0', '../x'].map((client_id) => ({
        client_id,
      })),
    ],
  ])('%s', async (_, overrides) => {
    const { school, client } = await withClient()
    const code = await codeFor(school, client.client_id)
    for (const given of overrides) {
      const answer = await redeem(school, client, code, given)
      expect([answer.status, bodyOf(answer).error], JSON.stringify(given)).toEqual([401, 'invalid_client'])
      expect(answer.headers).not.toHaveProperty('www-authenticate')
    }
    expect((await redeem(school, client, code)).status).toBe(200)
  })

  it('REQ-36: a client id that is almost right is nobody', async () => {
    const { school, client } = await withClient()
    const code = await codeFor(school, client.client_id)
    for (const client_id of [client.client_id.slice(1), `${client.client_id}0`])
      expect((await redeem(school, client, code, { client_id })).status).toBe(401)
  })

  it('refuses the Authorization header, and names its scheme', async () => {
    const { school, client } = await withClient(CONFIDENTIAL)
    const form = { grant_type: 'refresh_token', client_id: client.client_id, refresh_token: 'x' }
    const headers = { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` }
    const response = await school.send('POST', '/api/oauth/token', { form, headers })
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, 'Basic realm="oauth"'])
    const both = await school.send('POST', '/api/oauth/token', {
      form: { ...form, ...credentials(client) },
      headers,
    })
    expect([both.status, bodyOf(both).error], 'beside the secret').toEqual([400, 'invalid_request'])
  })

  it('accepts a confidential client with its secret', async () => {
    const { school, client } = await withClient(CONFIDENTIAL)
    expect(client.client_secret).toMatch(/^[\w-]{43}$/)
    expect((await redeem(school, client, await codeFor(school, client.client_id))).status).toBe(200)
  })

  it('REQ-35: a grant type that is not offered or not registered for is refused as such', async () => {
    const { school, client } = await withClient({ grant_types: ['authorization_code'] })
    const tokens = await tokensFor(school, client)
    expect(tokens.refresh_token, 'nor is it given such a token').toBeUndefined()
    expect(bodyOf(await refresh(school, client, 'x')).error).toBe('unauthorized_client')
    const { client_id } = client
    for (const grant_type of [
      'password',
      'client_credentials',
      'implicit',
      'Authorization_code',
      'toString',
      'x ',
    ])
      expect(bodyOf(await requestToken(school, { client_id, grant_type })).error).toBe(
        'unsupported_grant_type',
      )
    for (const form of [{ client_id, grant_type: '' }, { client_id }])
      expect(bodyOf(await requestToken(school, form)).error).toBe('invalid_request')
  })
})
