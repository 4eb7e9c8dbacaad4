import { describe, expect, it } from 'vitest'
import { runService } from '../service.ts'
import { Key } from './key.ts'
import { outcome, sent } from './party.ts'
import { SigningParty } from './signing-party.ts'
import { pass, suite, VARIANTS } from './suite.ts'

/** FAPI 2.0 Message Signing: what the suite sends with signed requests, once with plain and once with signed responses. */

const now = () => Math.floor(Date.now() / 1000)
const MODES = [
  { mode: 'plain_response', environment: {}, wanted: {} },
  { mode: 'jarm', environment: { SIGNED_RESPONSES: 'required' }, wanted: { response_mode: 'jwt' } },
]

describe.each(MODES)('$mode', ({ mode, environment, wanted }) => {
  const running = suite({ REQUEST_OBJECTS: 'required', ...environment }, SigningParty)

  describe.each(VARIANTS)('$openid', ({ scope }) => {
    const usual = { scope, ...wanted }

    it('happy-flow: both clients get tokens, the second with the typ of RFC 9101 in any case', async () => {
      const { one, two, service } = running
      const first = await one.callback(usual)
      expect(first).toMatchObject({ state: 'a state', iss: service.baseUrl })
      expect((await one.redeem(first.code)).status).toBe(200)
      const object = await two.object(usual, two.key, { typ: 'OautH-auThZ-REQ+jWt' })
      const { request_uri } = (await two.pushObject(object)).body
      const { code } = await two.answerOf(await two.browser(two.address(request_uri)))
      expect((await two.redeem(code)).status).toBe(200)
    })

    it('user-rejects-authentication: a denial comes as the codes do', async () => {
      const { one } = running
      const { request_uri } = (await one.push({ ...usual, prompt: 'consent' })).body
      const back = await one.browser(one.address(request_uri), { decision: 'deny' })
      expect([...back.searchParams.keys()].includes('response')).toBe(mode === 'jarm')
      expect(await one.answerOf(back)).toMatchObject({ error: 'access_denied', state: 'a state' })
    })

    it.each<[string, object]>([
      ['ensure-request-object-with-multiple-aud-succeeds', { aud: 'several' }],
      ['ensure-authorization-request-without-state-success', { state: undefined }],
      ['ensure-authorization-request-without-nonce-success', { nonce: undefined }],
      ['ensure-authorization-request-with-64-char-nonce-success', { nonce: 'n'.repeat(64) }],
      ['ensure-authorization-request-with-long-nonce', { nonce: 'n'.repeat(384) }],
      ['ensure-authorization-request-with-long-state', { state: 's'.repeat(1000) }],
      ['test-claims-parameter-identity-claims', { claims: { userinfo: { name: { essential: true } } } }],
      ['ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted', { nbf: 8 }],
    ])('%s', async (_, { aud, nbf, ...claims }: { aud?: string; nbf?: number }) => {
      const { one, service } = running
      const more = {
        ...(aud && { aud: [service.baseUrl, 'https://other.example'] }),
        ...(nbf && { nbf: now() + nbf }),
      }
      const { request_uri } = (await one.pushObject(await one.object({ ...usual, ...claims, ...more }))).body
      const { code } = await one.answerOf(await one.browser(one.address(request_uri)))
      expect((await one.redeem(code)).status).toBe(200)
    })

    it.each([
      'ensure-different-nonce-inside-and-outside-request-object',
      'ensure-different-state-inside-and-outside-request-object',
      'state-only-outside-request-object-not-used',
    ])('%s: only the object counts', async (name) => {
      const { one } = running
      const state = name.startsWith('state-only') ? undefined : 'inside'
      const object = await one.object({ ...usual, state, nonce: 'inside' })
      const { request_uri } = (await one.pushObject(object, { state: 'outside', nonce: 'outside' })).body
      const address = one.address(request_uri, { state: 'outside', nonce: 'outside' })
      expect((await one.answerOf(await one.browser(address))).state).toBe(state)
    })

    it.each<[string, object, string]>([
      ['ensure-request-object-without-exp-fails', { exp: undefined }, 'invalid_request_object'],
      ['ensure-request-object-without-nbf-fails', { nbf: undefined }, 'invalid_request_object'],
      [
        'ensure-request-object-with-bad-aud-fails',
        { aud: 'https://other.example' },
        'invalid_request_object',
      ],
      [
        'par-authorization-request-containing-request_uri',
        { request_uri: 'urn:x' },
        'invalid_request_object',
      ],
      ['ensure-request-object-without-redirect-uri-fails', { redirect_uri: undefined }, 'invalid_request'],
      [
        'ensure-redirect-uri-in-authorization-request',
        { redirect_uri: 'https://x.example' },
        'invalid_request',
      ],
      [
        'ensure-response-type-code-idtoken-fails',
        { response_type: 'code id_token' },
        'unsupported_response_type',
      ],
      ['ensure-response-type-token-fails', { response_type: 'token' }, 'unsupported_response_type'],
      ['par-ensure-pkce-required', { code_challenge: undefined }, 'invalid_request'],
      ['par-plain-pkce-rejected', { code_challenge_method: 'plain' }, 'invalid_request'],
    ])('%s', async (_, claims, error) => {
      const { one } = running
      expect(outcome(await one.pushObject(await one.object({ ...usual, ...claims })))).toEqual([400, error])
    })

    it.each<[string, number, number]>([
      ['ensure-expired-request-object-fails', -600, -300],
      ['ensure-request-object-with-exp-over-60-fails', 0, 70 * 60],
      ['ensure-request-object-with-nbf-over-60-fails', -70 * 60, 300],
    ])('%s', async (_, nbf, exp) => {
      const { one } = running
      const object = await one.object({ ...usual, nbf: now() + nbf, exp: now() + exp })
      expect(outcome(await one.pushObject(object))).toEqual([400, 'invalid_request_object'])
    })

    it('ensure-request-object-with-invalid-signature-fails', async () => {
      const { one } = running
      const [head, claims, signature = ''] = (await one.object(usual)).split('.')
      const broken = `${head}.${claims}.${signature.slice(0, -4)}${signature.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
      expect(outcome(await one.pushObject(broken))).toEqual([400, 'invalid_request_object'])
    })

    it('ensure-matching-key-in-authorization-request: the key of another client signs nothing', async () => {
      const { one, two } = running
      const object = await one.object(usual, two.key)
      expect(outcome(await one.pushObject(object))).toEqual([400, 'invalid_request_object'])
    })

    it('ensure-request-object-signature-algorithm-is-not-none', async () => {
      const { one } = running
      const [, claims] = (await one.object(usual)).split('.')
      const none = Buffer.from('{"alg":"none"}').toString('base64url')
      expect(outcome(await one.pushObject(`${none}.${claims}.`))).toEqual([400, 'invalid_request_object'])
    })

    it('ensure-unsigned-request-at-par-endpoint-fails', async () => {
      const { one } = running
      const form = one.request(usual) as Record<string, string>
      expect(outcome(await one.post('/api/oauth/par', form, { proof: false }))).toEqual([
        400,
        'invalid_request',
      ])
    })

    it.each(['signed', 'unsigned'])(
      'ensure-unsigned-authorization-request-without-using-par-fails: also one that is %s',
      async (kind) => {
        const { one, service } = running
        const plain = one.request(usual) as Record<string, string>
        const request = { client_id: one.clientId, request: await one.object(usual) }
        const query = new URLSearchParams(kind === 'signed' ? request : plain)
        let answer = await sent(`${service.baseUrl}/oauth/authorize?${query}`, {})
        const marked = String(answer.headers.get('location'))
        if (marked.startsWith('/')) answer = await sent(service.baseUrl + marked, {})
        const refused = await one.answerOf(new URL(String(answer.headers.get('location'))))
        expect(refused).toMatchObject({ error: 'invalid_request', state: 'a state' })
      },
    )

    it('par-attempt-to-use-expired-request_uri: shows a page, and tells the client nothing', async () => {
      const { one } = running
      const { request_uri } = (await one.push(usual)).body
      pass(61)
      const answer = await sent(one.address(request_uri), { headers: { accept: 'application/json' } })
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request_uri'])
    })
  })
})

it('ensure-signed-request-object-with-RS256-fails', async () => {
  const service = await runService({ PROFILE: 'fapi2', RATE_LIMITS: 'off', REQUEST_OBJECTS: 'required' })
  try {
    const key = await Key.of('PS256')
    const { clientId } = await service.clients.add({
      clientName: 'Rsa',
      redirectUris: ['https://suite.example/callback'],
      jwks: { keys: [key.jwk] },
    })
    const party = new SigningParty(service.baseUrl, clientId, key, await Key.of('ES256'))
    expect((await party.push()).status).toBe(201)
    const object = await party.object({}, key.for('RS256'))
    expect(outcome(await party.pushObject(object))).toEqual([400, 'invalid_request_object'])
  } finally {
    await service.close()
  }
})

it('discovery-end-point-verification: the metadata say what must be signed, and by what', async () => {
  const environment = { REQUEST_OBJECTS: 'on', SIGNED_RESPONSES: 'on' }
  const service = await runService({ PROFILE: 'fapi2', ...environment })
  try {
    const address = `${service.baseUrl}/.well-known/openid-configuration`
    expect(await (await fetch(address)).json()).toMatchObject({
      request_parameter_supported: true,
      require_signed_request_object: true,
      request_object_signing_alg_values_supported: ['ES256', 'EdDSA', 'Ed25519', 'PS256'],
      authorization_signing_alg_values_supported: ['ES256', 'EdDSA'],
      response_modes_supported: ['query', 'jwt', 'query.jwt'],
    })
  } finally {
    await service.close()
  }
})
