import { generateKeyPairSync } from 'node:crypto'
import { type ClientAssertionOptions, clientAssertion } from '@grantkit/core/client-assertion'
import type { ClientEndpoint } from '@grantkit/core/feature'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { createMemoryStore } from '@grantkit/store-memory'
import { CompactSign, exportJWK, SignJWT } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { bodyOf, codeFor, redeem, refresh, register, type TokenAnswer } from './client.ts'
import { ISSUER, openService, REDIRECT_URI } from './service.ts'
import { assertionForm, assertionOf, type Claims, newKey, openSigned, proves } from './signed-assertions.ts'

const UNVERIFIED = 'The client assertion is not valid. Check its signature, alg, iss and sub'
const REFUSED = { status: 401, error: 'invalid_client', error_description: expect.any(String) }

describe('a client assertion', () => {
  it.each(['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'])(
    'authenticates the client, signed by %s',
    async (alg) => {
      const key = await newKey(alg)
      const { service, client_id } = await openSigned([key])
      expect(await proves(service, assertionForm(await assertionOf(service, key, client_id)))).toMatchObject({
        status: 200,
      })
    },
  )

  it.each<[string, Claims, object?]>([
    ['with the issuer in an array of one', { aud: [ISSUER] }],
    ['without iat', { iat: undefined }],
    ['of a clock that is a minute ahead', { iat: 1_800_000_060, nbf: 1_800_000_060 }],
    ['of a clock that is a minute behind', { iat: 1_799_999_000, exp: 1_799_999_941 }],
    ['with ten minutes to live, of a clock that is a minute ahead', { exp: 1_800_000_660 }],
    ['with a jti of 200 characters', { jti: 'x'.repeat(200) }],
    ['without typ', {}, { typ: undefined }],
    ['with the typ of RFC 7523bis', {}, { typ: 'client-authentication+jwt' }],
    ['with a typ in full', {}, { typ: 'application/Client-Authentication+JWT' }],
    ['with the typ of the draft on client documents', {}, { typ: 'oauth-client-auth+jwt' }],
  ])('passes %s', async (_, claims, header) => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key])
    const assertion = await assertionOf(service, key, client_id, claims, header)
    expect(await proves(service, assertionForm(assertion))).toMatchObject({ status: 200 })
    expect(await proves(service, { client_id, ...assertionForm(assertion) }), 'once').toEqual({
      ...REFUSED,
      reason: 'assertion_replayed',
    })
  })

  it.each<[string, Claims, string, object?]>([
    ['for another server', { aud: 'https://evil.example' }, 'assertion_audience'],
    ['for this server and another one', { aud: [ISSUER, 'https://evil.example'] }, 'assertion_audience'],
    ['with an empty aud', { aud: [] }, 'assertion_audience'],
    ['without aud', { aud: undefined }, 'assertion_audience'],
    ['for the issuer with a slash', { aud: `${ISSUER}/` }, 'assertion_audience'],
    ['for the token endpoint', { aud: `${ISSUER}/api/oauth/token` }, 'assertion_audience'],
    ['of another issuer', { iss: ISSUER }, 'assertion_issuer'],
    ['without iss', { iss: undefined }, 'assertion_malformed'],
    ['without exp', { exp: undefined }, 'assertion_expired'],
    ['that ended more than a minute ago', { exp: 1_799_999_940 }, 'assertion_expired'],
    ['that lives for ten years', { exp: 2_115_360_000 }, 'assertion_too_long'],
    ['that lives a second too long', { exp: 1_800_000_661 }, 'assertion_too_long'],
    ['whose exp is a text', { exp: '1800000300' }, 'assertion_expired'],
    ['of the future', { iat: 1_800_000_061 }, 'assertion_early'],
    ['that is not good yet', { nbf: 1_800_000_061 }, 'assertion_early'],
    ['without jti', { jti: undefined }, 'assertion_jti'],
    ['with an empty jti', { jti: '' }, 'assertion_jti'],
    ['with a jti of 201 characters', { jti: 'x'.repeat(201) }, 'assertion_jti'],
    ['that is an access token', {}, 'assertion_typ', { typ: 'at+jwt' }],
    ['that is a DPoP proof', {}, 'assertion_typ', { typ: 'dpop+jwt' }],
    ['that is a request object', {}, 'assertion_typ', { typ: 'oauth-authz-req+jwt' }],
    ['that is a logout token', {}, 'assertion_typ', { typ: 'application/logout+jwt' }],
    ['that is a security event', {}, 'assertion_typ', { typ: 'secevent+jwt' }],
    ['about another subject', { sub: 'alice' }, 'assertion_issuer'],
    ['with the kid of another key', {}, 'assertion_signature', { kid: 'another' }],
    ['that is longer than 8 KiB', { padding: 'x'.repeat(8192) }, 'assertion_malformed'],
  ])('CA-16, CA-19: is refused %s', async (_, claims, reason, header) => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key])
    const assertion = await assertionOf(service, key, client_id, claims, header)
    expect(await proves(service, { client_id, ...assertionForm(assertion) })).toEqual({ ...REFUSED, reason })
  })

  it('CA-07: is rejected with an algorithm that needs no private key, whatever the registered key', async () => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key])
    const valid = await assertionOf(service, key, client_id)
    const [, claims = ''] = valid.split('.')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`
    const secret = Buffer.from(JSON.stringify(key.jwk))
    const symmetric = await new CompactSign(Buffer.from(claims, 'base64url'))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret)
    for (const forged of [unsigned, symmetric])
      expect(await proves(service, assertionForm(forged))).toEqual({
        ...REFUSED,
        reason: 'assertion_algorithm',
      })
    for (const broken of ['', 'x', '.', '..', 'e30.e30.', `${valid}.`, `${valid}.x.y`])
      expect(await proves(service, { client_id, ...assertionForm(broken) })).toEqual({
        ...REFUSED,
        reason: 'assertion_malformed',
      })
    const form = { client_id, client_assertion: valid }
    for (const wrong of [form, { ...form, client_assertion_type: 'urn:x' }])
      expect(await proves(service, wrong)).toMatchObject(REFUSED)
    expect(await proves(service, { client_id, client_assertion_type: 'urn:x' })).toMatchObject(REFUSED)
    expect(await proves(service, assertionForm(valid)), 'it is still unspent').toMatchObject({ status: 200 })
  })

  it('is refused with an extension that this server does not understand', async () => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key])
    const claims = { iss: client_id, sub: client_id, aud: ISSUER, exp: service.clock.now + 60, jti: 'x' }
    const assertion = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', crit: ['x'], x: true })
      .sign(key.privateKey, { crit: { x: true } })
    expect(await proves(service, assertionForm(assertion))).toEqual({
      ...REFUSED,
      reason: 'assertion_malformed',
    })
  })

  it('CA-17: is rejected if another key or another client has signed it', async () => {
    const [key, foreign] = [await newKey(), await newKey()]
    const { service, client_id } = await openSigned([key])
    const forged = await assertionOf(service, foreign, client_id)
    expect(await proves(service, assertionForm(forged))).toEqual({
      ...REFUSED,
      reason: 'assertion_signature',
    })

    const other = await service.server.clients.add({
      clientName: 'Other',
      redirectUris: [REDIRECT_URI],
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [foreign.jwk] },
    })
    const ofOther = await assertionOf(service, foreign, other.clientId)
    expect(await proves(service, { client_id, ...assertionForm(ofOther) })).toEqual({
      ...REFUSED,
      reason: 'assertion_issuer',
    })
    expect(await proves(service, assertionForm(ofOther))).toMatchObject({ status: 200 })
    const unknownClient = await assertionOf(service, foreign, 'unknown')
    expect(await proves(service, assertionForm(unknownClient))).toMatchObject({
      status: 401,
      reason: 'client_unknown',
    })
  })

  it('is found among several keys without kid, of which at most eight are tried', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => newKey()))
    const { service, client_id } = await openSigned(keys)
    const statuses = await Promise.all(
      keys.map(
        async (key) =>
          (await proves(service, assertionForm(await assertionOf(service, key, client_id)))).status,
      ),
    )
    expect(statuses).toEqual([...Array(8).fill(200), 401, 401])
    const [, second] = keys
    const expired = await assertionOf(service, second ?? (await newKey()), client_id, { exp: 1_799_999_940 })
    expect(await proves(service, assertionForm(expired))).toEqual({ ...REFUSED, reason: 'assertion_expired' })
  })

  it('CA-18: is accepted once, even with concurrent requests, and for one client only', async () => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key])
    const form = assertionForm(await assertionOf(service, key, client_id, { jti: 'the same' }))
    const all = await Promise.all(Array.from({ length: 50 }, () => proves(service, form)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    service.clock.now += 359
    expect(await proves(service, form), 'until no clock takes it').toMatchObject(REFUSED)
    service.clock.now += 1
    expect(await proves(service, form)).toMatchObject({ reason: 'assertion_expired' })

    const other = await service.server.clients.add({
      clientName: 'Other',
      redirectUris: [REDIRECT_URI],
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [key.jwk] },
    })
    for (const id of [client_id, other.clientId])
      expect(
        await proves(service, assertionForm(await assertionOf(service, key, id, { jti: 'shared' }))),
      ).toMatchObject({ status: 200 })
  })

  it('writes nothing to the store before its signature is verified', async () => {
    const [key, foreign] = [await newKey(), await newKey()]
    const { service, client_id } = await openSigned([key])
    const jti = 'a jti'
    await proves(service, assertionForm(await assertionOf(service, foreign, client_id, { jti })))
    expect(
      await proves(service, assertionForm(await assertionOf(service, key, client_id, { jti }))),
    ).toMatchObject({ status: 200 })
  })

  it('is the only authentication method of its client, and cannot be combined with another', async () => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key])
    const client = await service.server.clients.find(client_id)
    expect(client).not.toHaveProperty('secretHash')
    for (const wrong of [{ client_id }, { client_id, client_secret: 'x' }])
      expect(await proves(service, wrong)).toMatchObject({
        status: 401,
        reason: 'client_auth_method_mismatch',
      })
    const form = assertionForm(await assertionOf(service, key, client_id))
    expect(await proves(service, { ...form, client_secret: 'x' })).toMatchObject({
      status: 400,
      error: 'invalid_request',
    })
    const app = await register(service, { token_endpoint_auth_method: 'client_secret_post' })
    const foreign = assertionForm(await assertionOf(service, key, app.clientId))
    expect(await proves(service, foreign)).toMatchObject({
      status: 401,
      reason: 'client_auth_method_mismatch',
    })
  })

  it('is rejected if there are two', async () => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key])
    const [one, other] = [
      await assertionOf(service, key, client_id),
      await assertionOf(service, key, client_id),
    ]
    const { client_assertion_type = '' } = assertionForm(one)
    const form: [string, string][] = [
      ['token', 'any'],
      ['client_assertion_type', client_assertion_type],
      ...[one, other].map((jwt): [string, string] => ['client_assertion', jwt]),
    ]
    const answer = await service.send('POST', '/api/oauth/introspect', { form })
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_request'])
    for (const jwt of [one, other])
      expect((await proves(service, assertionForm(jwt))).status, 'unspent').toBe(200)
  })

  it('CA-16: consumes no code and no refresh token when it is rejected', async () => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key])
    const prove = async (claims?: Claims) => assertionForm(await assertionOf(service, key, client_id, claims))
    const code = await codeFor(service, client_id)
    expect((await redeem(service, { clientId: client_id }, code)).status).toBe(401)
    expect(
      (await redeem(service, { clientId: client_id }, code, await prove({ aud: 'https://evil.example' })))
        .status,
    ).toBe(401)
    const { refresh_token } = bodyOf<TokenAnswer>(
      await redeem(service, { clientId: client_id }, code, await prove()),
    )
    expect((await refresh(service, { clientId: client_id }, refresh_token)).status).toBe(401)
    const spent = await prove()
    const next = await refresh(service, { clientId: client_id }, refresh_token, spent)
    expect(next.status).toBe(200)
    const { refresh_token: token } = bodyOf<TokenAnswer>(next)
    expect((await refresh(service, { clientId: client_id }, token, spent)).status, 'a replay').toBe(401)
    const form = { token, ...(await prove()) }
    expect((await service.send('POST', '/api/oauth/revoke', { form })).status).toBe(200)
    expect((await refresh(service, { clientId: client_id }, token, await prove())).status).toBe(400)
  })

  /** Of a feature that nobody here knows. */
  const OWN_ENDPOINT: ClientEndpoint = {
    path: '/api/own',
    metadataName: 'own_endpoint',
    summary: 'An endpoint of clients',
    message: z.object({}),
    begin: () => async () => ({ status: 200, headers: {}, body: '' }),
  }

  it('may have an endpoint of this server as its audience only if the option allows it', async () => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key], {
      audiences: 'endpoints',
      more: [pushedAuthorizationRequests(), () => ({ clientEndpoints: [OWN_ENDPOINT] })],
    })
    const statusFor = async (aud: unknown) =>
      (await proves(service, assertionForm(await assertionOf(service, key, client_id, { aud })))).status
    const { token_endpoint, pushed_authorization_request_endpoint, revocation_endpoint } =
      service.server.metadata
    for (const aud of [
      ISSUER,
      token_endpoint,
      [token_endpoint],
      pushed_authorization_request_endpoint,
      revocation_endpoint,
      `${ISSUER}/api/own`,
    ])
      expect([aud, await statusFor(aud)]).toEqual([aud, 200])
    for (const aud of [
      [ISSUER, token_endpoint],
      `${token_endpoint}/`,
      service.server.metadata.authorization_endpoint,
      service.server.metadata.jwks_uri,
      'https://evil.example/api/oauth/token',
      undefined,
    ])
      expect([aud, await statusFor(aud)]).toEqual([aud, 401])
  })

  it('may live as long as the option allows, and its mark as long', async () => {
    const key = await newKey()
    const { service, client_id } = await openSigned([key], { maxLifetime: 3600 })
    const assertion = await assertionOf(service, key, client_id, { exp: service.clock.now + 3660 })
    expect(await proves(service, assertionForm(assertion))).toMatchObject({ status: 200 })
    service.clock.now += 3719
    expect(await proves(service, assertionForm(assertion))).toMatchObject({ reason: 'assertion_replayed' })
    const longer = await assertionOf(service, key, client_id, { exp: service.clock.now + 3661 })
    expect(await proves(service, assertionForm(longer))).toMatchObject({
      error_description: expect.stringContaining('at most 3600 seconds'),
    })
  })

  it.each<[string, Claims, object?]>([
    ['aud', { aud: `${ISSUER}/api/oauth/token` }],
    ['exp', { exp: 1_799_999_940 }],
    ['exp', { exp: 2_115_360_000 }],
    ['iat', { iat: 1_800_000_061 }],
    ['jti', { jti: undefined }],
    ['typ', {}, { typ: 'at+jwt' }],
  ])('tells only who holds the key that %s is wrong', async (name, claims, header) => {
    const [key, foreign] = [await newKey(), await newKey()]
    const { service, client_id } = await openSigned([key])
    const answers = await Promise.all(
      [key, foreign].map(async (by) =>
        proves(service, assertionForm(await assertionOf(service, by, client_id, claims, header))),
      ),
    )
    expect(answers[0]?.error_description).toContain(name)
    expect(answers[1]?.error_description).toBe(UNVERIFIED)
  })

  it('and a registered key have either name of one algorithm', async () => {
    const key = await newKey('EdDSA')
    for (const named of [undefined, 'EdDSA', 'Ed25519'])
      for (const registered of ['EdDSA', 'Ed25519'])
        for (const algorithms of [['EdDSA'], ['Ed25519']] as const) {
          const jwks = { keys: [{ ...key.jwk, alg: named }] }
          const metadata = { jwks, tokenEndpointAuthSigningAlg: registered }
          const { service, client_id } = await openSigned([], { metadata, algorithms })
          for (const alg of ['EdDSA', 'Ed25519'])
            expect(
              await proves(service, assertionForm(await assertionOf(service, { ...key, alg }, client_id))),
            ).toMatchObject({ status: 200 })
        }
  })

  it('is signed by the algorithm that the client registered, among those that the operator accepts', async () => {
    const [rsa, ec] = [await newKey('PS256'), await newKey()]
    const metadata = { tokenEndpointAuthSigningAlg: 'PS256' }
    const { service, client_id } = await openSigned([rsa, ec], { metadata, algorithms: ['PS256', 'ES256'] })
    const of = async (key: typeof rsa) =>
      (await proves(service, assertionForm(await assertionOf(service, key, client_id)))).reason
    expect(await of(rsa)).toBeUndefined()
    expect(await of(ec)).toBe('assertion_algorithm')
    expect(await of({ ...rsa, alg: 'RS256', privateKey: (await newKey('RS256')).privateKey })).toBe(
      'assertion_algorithm',
    )
  })
})

describe('the keys of a client', () => {
  const add = async (metadata: object, fetch?: ClientAssertionOptions['fetch']) => {
    const service = openService({ features: [clientAssertion({ algorithms: ['ES256', 'PS256'], fetch })] })
    const whole = { clientName: 'Reports', redirectUris: [REDIRECT_URI], ...metadata }
    return service.server.clients.add({ tokenEndpointAuthMethod: 'private_key_jwt', ...whole })
  }

  it.each<[string, () => Promise<object>, string]>([
    ['no keys', async () => ({}), 'jwks or jwks_uri'],
    ['an empty list', async () => ({ jwks: { keys: [] } }), 'jwks.keys'],
    [
      'a private key',
      async () => ({ jwks: { keys: [await exportJWK((await newKey()).privateKey)] } }),
      'must be a public key',
    ],
    ['a shared key', async () => ({ jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }), 'must be a public key'],
    [
      'a key that encrypts',
      async () => ({ jwks: { keys: [{ ...(await newKey()).jwk, use: 'enc' }] } }),
      'must be sig',
    ],
    [
      'a point that is not on the curve',
      async () => ({ jwks: { keys: [{ ...(await newKey()).jwk, x: 'A'.repeat(43) }] } }),
      'must be a key',
    ],
    [
      'a coordinate that is too short',
      async () => ({ jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'AQ', y: 'AQ' }] } }),
      'must be 32 octets',
    ],
    [
      'a key of another algorithm',
      async () => ({ jwks: { keys: [(await newKey('EdDSA')).jwk] } }),
      'no key for ES256, PS256',
    ],
    [
      'an algorithm that is not accepted',
      async () => ({
        jwks: { keys: [(await newKey('EdDSA')).jwk] },
        tokenEndpointAuthSigningAlg: 'EdDSA',
      }),
      'jwks: no key',
    ],
    ['an address where none is fetched', async () => ({ jwksUri: 'https://app.dev/keys' }), 'jwksUri'],
    [
      'eleven keys',
      async () => ({ jwks: { keys: Array(11).fill((await newKey()).jwk) } }),
      'must be at most 10',
    ],
  ])('are rejected, and no client is added: %s', async (_, metadata, detail) => {
    await expect(add(await metadata())).rejects.toMatchObject({
      error: 'invalid_client_metadata',
      message: expect.stringContaining(detail),
    })
  })

  it.each([
    [{ jwksUri: 'http://app.dev/keys' }, 'jwksUri: is no https address'],
    [{ jwksUri: 'https://' }, 'jwksUri: is not in its normal form'],
    [{ jwksUri: 'https://169.254.169.254/latest/meta-data' }, 'jwksUri: is at an IP address'],
    [{ jwksUri: 'https://keys.internal:8443/keys' }, 'jwksUri: is at no public name'],
    [{ jwksUri: 'https://user:secret@app.dev/keys' }, 'jwksUri: has a user'],
    [
      { jwksUri: 'https://app.dev/keys', tokenEndpointAuthSigningAlg: 'EdDSA' },
      'no key for an algorithm of this server',
    ],
  ])('are not fetched for a client with %o', async (metadata, detail) => {
    await expect(add(metadata, vi.fn())).rejects.toThrow(detail)
  })

  it('may be at any port of a public name', async () => {
    const jwksUri = 'https://app.dev:8443/keys'
    expect(await add({ jwksUri }, vi.fn())).toMatchObject({ jwksUri })
  })

  it('of RSA have at least 2048 bits', async () => {
    const jwk = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
    await expect(add({ jwks: { keys: [jwk] } })).rejects.toThrow('must have 2048 to 8192 bits')
  })

  it('are stored without members that no signature needs, and the response shows them', async () => {
    const { jwk } = await newKey()
    const added = await add({ jwks: { keys: [{ ...jwk, kid: 'one', x5c: ['…'], owner: 'alice' }] } })
    expect(added).toMatchObject({ jwks: { keys: [{ ...jwk, kid: 'one' }] } })
    expect(added.jwks?.keys[0]).not.toHaveProperty('x5c')
    expect(added.jwks?.keys[0]).not.toHaveProperty('owner')
    expect(added).not.toHaveProperty('client_secret', expect.anything())
  })

  it('DR-06: are not accepted in dynamic client registration', async () => {
    const service = openService({ features: [clientAssertion()] })
    const json = {
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [(await newKey()).jwk] },
    }
    const refused = await service.send('POST', '/api/oauth/register', { json })
    expect([refused.status, bodyOf(refused).error]).toEqual([400, 'invalid_client_metadata'])
    const taken = await service.send('POST', '/api/oauth/register', {
      json: { ...json, token_endpoint_auth_method: 'none' },
    })
    expect(taken.status).toBe(201)
    expect(bodyOf(taken)).not.toHaveProperty('jwks')
  })
})

it('the metadata lists method and algorithms for the three endpoints that RFC 8414 names', () => {
  const { metadata } = openService({ features: [clientAssertion({ algorithms: ['PS256'] })] }).server
  for (const endpoint of ['token_endpoint', 'revocation_endpoint', 'introspection_endpoint'])
    expect(metadata).toMatchObject({
      [`${endpoint}_auth_methods_supported`]: expect.arrayContaining(['private_key_jwt']),
      [`${endpoint}_auth_signing_alg_values_supported`]: ['PS256'],
    })
})

it('a server with contradicting options is not created', () => {
  const { transients: _, ...store } = createMemoryStore()
  expect(() => openService({ store, features: [clientAssertion()] })).toThrow('no transients')
  const message = 'clientAssertion: algorithms must be some of ES256, EdDSA, Ed25519, PS256, RS256'
  for (const algorithms of [[], ['HS256'], ['ES256', 'HS256']])
    expect(() => clientAssertion({ algorithms: algorithms as never })).toThrow(message)
  for (const maxLifetime of [0, 1.5, 86_401])
    expect(() => clientAssertion({ maxLifetime })).toThrow('clientAssertion: maxLifetime')
  expect(() => clientAssertion({ audiences: 'all' as never })).toThrow('clientAssertion: audiences')
})

it('a store that is down is a 503, and nothing is issued', async () => {
  const key = await newKey()
  const { service, client_id } = await openSigned([key])
  const { transients } = service.store
  const down = {
    ...service.store,
    transients: { ...transients, insert: () => Promise.reject(new Error('down')) },
  }
  const broken = openService({ store: down as never, features: [clientAssertion()] })
  const form = assertionForm(await assertionOf(service, key, client_id))
  const answer = await broken.send('POST', '/api/oauth/introspect', { form: { token: 'x', ...form } })
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
})

describe('a client whose keys are fetched', () => {
  it('changes its key without the operator, and the old key is rejected', async () => {
    const [first, second] = [await newKey(), await newKey()]
    const host = { keys: [first.jwk], requests: 0 }
    const fetch = async () => {
      host.requests++
      const headers = { 'content-type': 'application/json' }
      return { status: 200, headers, body: JSON.stringify({ keys: host.keys }) }
    }
    const metadata = { jwksUri: 'https://app.dev/keys' }
    const { service, client_id } = await openSigned([], { fetch, metadata })
    const statusOf = async (key: typeof first) =>
      (await proves(service, assertionForm(await assertionOf(service, key, client_id)))).status
    expect(await statusOf(first)).toBe(200)
    host.keys = [second.jwk]
    expect(await statusOf(second), 'within the minute').toBe(401)
    service.clock.now += 61
    const expired = await assertionOf(service, first, client_id, { exp: service.clock.now - 60 })
    expect(await proves(service, assertionForm(expired))).toMatchObject({ reason: 'assertion_expired' })
    expect(host.requests, 'other keys would not help').toBe(1)
    expect(await statusOf(second)).toBe(200)
    expect(await statusOf(first)).toBe(401)
    expect(host.requests).toBe(2)
    const { store } = service
    const closed = openService({ store, features: [clientAssertion()], now: () => service.clock.now })
    const form = assertionForm(await assertionOf(service, second, client_id))
    expect(await proves(closed, form), 'where no keys are fetched').toMatchObject({
      ...{ status: 401, reason: 'assertion_signature' },
    })
  })

  it('gets a 503 while its keys cannot be fetched, because it cannot be authenticated', async () => {
    const fetch = () => Promise.reject(new Error('down'))
    const metadata = { jwksUri: 'https://app.dev/keys' }
    const { service, client_id } = await openSigned([], { fetch, metadata })
    const assertion = await assertionOf(service, await newKey(), client_id)
    expect(await proves(service, assertionForm(assertion))).toMatchObject({
      status: 503,
      error: 'temporarily_unavailable',
    })
  })
})
