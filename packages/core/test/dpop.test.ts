import { createResourceServer, type HttpResponse, type Refused } from '@grantkit/core'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { type DpopOptions, type DpopProofsOptions, dpop, dpopProofs } from '@grantkit/core/dpop'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { createMemoryStore } from '@grantkit/store-memory'
import { decodeJwt, type JSONWebKeySet } from 'jose'
import { describe, expect, it } from 'vitest'
import { bodyOf, credentials, register, type TokenAnswer, tokensFor } from './client.ts'
import { openDeviceService, type Started } from './device-service.ts'
import { hashOf, type ProvingKey, provingKey } from './dpop-key.ts'
import { boundTokens, KEY, open, proven, redemptionOf, SECRET, token } from './dpop-service.ts'
import { ISSUER, openService, type Service } from './service.ts'

const nonceOf = ({ headers }: HttpResponse) => String(headers['dpop-nonce'])

describe('a server that requires a nonce', () => {
  it('DP-11: consumes neither code nor refresh token on a request without it', async () => {
    const service = open({ nonce: 'required' })
    const { client, form } = await redemptionOf(service)
    const path = '/api/oauth/token'
    const requested = await token(service, form, proven(service, path))
    expect([requested.status, bodyOf(requested).error]).toEqual([400, 'use_dpop_nonce'])
    expect(service.events, 'it is no failure').not.toContainEqual(
      expect.objectContaining({ type: 'refused' }),
    )

    const nonce = nonceOf(requested)
    const granted = await token(service, form, proven(service, path, { nonce }))
    expect([granted.status, granted.headers['dpop-nonce']]).toEqual([200, undefined])

    const { refresh_token } = bodyOf<TokenAnswer>(granted)
    const refreshing = { ...credentials(client), grant_type: 'refresh_token', refresh_token }
    const again = await token(service, refreshing, proven(service, path))
    expect(bodyOf(again).error).toBe('use_dpop_nonce')
    const refreshed = await token(service, refreshing, proven(service, path, { nonce: nonceOf(again) }))
    expect(bodyOf(refreshed).token_type).toBe('DPoP')
  })

  it('returns a newer nonce in the response to an old one, until the old one expires', async () => {
    const service = open({ nonce: 'required' })
    const { tokens } = await boundTokensWithNonce(service)
    const ask = (nonce: string) => userinfo(service, tokens.access_token, { nonce })
    const first = nonceOf(await userinfo(service, tokens.access_token))
    expect((await ask(first)).headers).not.toHaveProperty('dpop-nonce')
    service.clock.now += 60
    const answer = await ask(first)
    expect(answer.status).toBe(200)
    expect(nonceOf(answer)).not.toBe(first)
    service.clock.now += 120
    expect((await ask(first)).status).toBe(401)
    expect((await ask(nonceOf(await ask(first)))).status).toBe(200)
  })

  async function boundTokensWithNonce(service: Service) {
    const { form } = await redemptionOf(service)
    const nonce = nonceOf(await token(service, form, proven(service, '/api/oauth/token')))
    const answer = await token(service, form, proven(service, '/api/oauth/token', { nonce }))
    return { tokens: bodyOf<TokenAnswer>(answer) }
  }
})

function userinfo(service: Service, accessToken: string, claims: object = {}, key = KEY) {
  const path = '/api/oauth/userinfo'
  const proof = proven(service, path, { htm: 'GET', ath: hashOf(accessToken), ...claims }, key)
  return service.send('GET', path, { headers: { authorization: `DPoP ${accessToken}`, ...proof } })
}

describe('a client with a wrong clock', () => {
  it('DP-04: a proof of another time is rejected, and one with a nonce is accepted', async () => {
    const service = open()
    const { form } = await redemptionOf(service)
    const past = { iat: service.clock.now - 86_400 }
    const requested = await token(service, form, proven(service, '/api/oauth/token', past))
    expect(bodyOf(requested).error).toBe('use_dpop_nonce')
    const answer = await token(
      service,
      form,
      proven(service, '/api/oauth/token', { ...past, nonce: nonceOf(requested) }),
    )
    expect(answer.status).toBe(200)
  })
})

describe('when DPoP is turned off again', () => {
  it('a bound token is rejected instead of being accepted as a bearer token', async () => {
    const service = open()
    const { client, tokens } = await boundTokens(service)
    const off = openService({ store: service.store })
    const api = await off.callApi(tokens.access_token)
    expect(api).toMatchObject({ kind: 'refused', response: { status: 401 } })
    const refreshing = {
      ...credentials(client),
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    }
    expect(bodyOf(await token(off, refreshing, proven(off, '/api/oauth/token'))).error).toBe(
      'invalid_dpop_proof',
    )
  })

  it('a client revokes its token without its key', async () => {
    const service = open()
    const { client, tokens } = await boundTokens(service)
    await service.send('POST', '/api/oauth/revoke', {
      form: { ...credentials(client), token: tokens.refresh_token },
    })
    expect((await userinfo(service, tokens.access_token)).status).toBe(401)
  })

  it('dpop_jkt is ignored, whatever its value', async () => {
    const service = openService()
    const tokens = await tokensFor(service, await register(service), { dpop_jkt: 'no thumbprint' })
    expect(tokens.token_type).toBe('Bearer')
  })
})

describe('the guard of an API', () => {
  const request = { method: 'GET', path: '/notes', query: '', body: '' }

  /** The response of an API to a proof with this `htu`. */
  async function requested(options: Partial<DpopProofsOptions>, htu: string, resource = ISSUER) {
    const service = open()
    const { tokens } = await boundTokens(service)
    const { store, clock } = service
    const proofs = dpopProofs({ secret: SECRET, ...options })
    const api = createResourceServer({ resource, store, scopes: {}, now: () => clock.now, proofs })
    const proof = proven(service, '', { htm: 'GET', ath: hashOf(tokens.access_token), htu })
    const spoofed = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    }
    const headers = { authorization: `dpop ${tokens.access_token}`, ...spoofed, ...proof }
    return (await api.access({ ...request, headers })).kind
  }

  it.each<[string, Partial<DpopProofsOptions>, string, string]>([
    ['by the origin of its resource', {}, `${ISSUER}/notes`, `${ISSUER}/api`],
    ['by its public origin', { publicOrigin: 'https://api.example' }, 'https://api.example/notes', ISSUER],
    ['by its public origin without TLS', { publicOrigin: 'http://api:80' }, 'http://api/notes', ISSUER],
    [
      'by the URI that the operator makes',
      { htu: ({ path }) => `${ISSUER}/v1${path}` },
      `${ISSUER}/v1/notes`,
      ISSUER,
    ],
    ['where its resource is no address', { publicOrigin: ISSUER }, `${ISSUER}/notes`, 'urn:example:notes'],
  ])('knows its own address %s', async (_, options, htu, resource) => {
    expect(await requested(options, htu, resource)).toBe('authorized')
  })

  it('DP-03: htu is compared with the configured URL, whatever the headers of the request', async () => {
    expect(await requested({}, 'https://evil.example/notes')).toBe('refused')
  })

  /** A guard that accepts each proof once, and a request with a proof. */
  async function strictly(claims: (now: number) => object = () => ({})) {
    const service = open()
    const { tokens } = await boundTokens(service)
    const { store, clock } = service
    const proofs = dpopProofs({ secret: SECRET, replay: 'strict' })
    const api = createResourceServer({ resource: ISSUER, store, scopes: {}, now: () => clock.now, proofs })
    const bound = { htm: 'GET', ath: hashOf(tokens.access_token), ...claims(clock.now) }
    const headers = { authorization: `DPoP ${tokens.access_token}`, ...proven(service, '/notes', bound) }
    return { clock, ask: () => api.access({ ...request, headers }) }
  }

  it('DP-13: a used proof is rejected at once, even with concurrent requests', async () => {
    const { ask } = await strictly()
    const kinds = (await Promise.all(Array.from({ length: 50 }, ask))).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'authorized')).toHaveLength(1)
  })

  it('accepts each proof once at UserInfo too, if proofs are single-use', async () => {
    const service = open({ replay: 'strict' })
    const { tokens } = await boundTokens(service)
    const path = '/api/oauth/userinfo'
    const proof = proven(service, path, { htm: 'GET', ath: hashOf(tokens.access_token) })
    const headers = { authorization: `DPoP ${tokens.access_token}`, ...proof }
    expect((await service.send('GET', path, { headers })).status).toBe(200)
    const again = await service.send('GET', path, { headers })
    expect([again.status, bodyOf(again).error]).toEqual([401, 'invalid_dpop_proof'])
    expect((await userinfo(service, tokens.access_token)).status, 'another proof').toBe(200)
  })

  it.each([
    ['DPoP', 401, 'invalid_token'],
    ['Bearer', 400, 'invalid_request'],
  ])('DP-05: two tokens, or two schemes, in one request are rejected: %s', async (second, status, error) => {
    const service = open()
    const { access_token } = (await boundTokens(service)).tokens
    const { dpop } = proven(service, '/api/oauth/userinfo', { htm: 'GET', ath: hashOf(access_token) })
    const headers = { authorization: [`DPoP ${access_token}`, `${second} ${access_token}`], dpop }
    const answer = await service.send('GET', '/api/oauth/userinfo', { headers })
    expect([answer.status, bodyOf(answer).error]).toEqual([status, error])
  })

  /** A guard with a bound token. */
  async function guarded() {
    const service = open()
    const { access_token } = (await boundTokens(service)).tokens
    const { store, clock } = service
    const proofs = dpopProofs({ secret: SECRET })
    const api = createResourceServer({ resource: ISSUER, store, scopes: {}, now: () => clock.now, proofs })
    /** The error for a request, or `authorized`. */
    async function ask(authorization: string, proof: object = {}) {
      const access = await api.access({ ...request, headers: { authorization, ...proof } })
      return access.kind === 'refused' ? JSON.parse(access.response.body).error : access.kind
    }
    const proofBy = (key = KEY) => proven(service, '/notes', { htm: 'GET', ath: hashOf(access_token) }, key)
    return { service, access_token, ask, proofBy }
  }

  it('DP-01: a bound token is accepted only with a proof of its key', async () => {
    const { service, access_token, ask, proofBy } = await guarded()
    expect(await ask(`DPoP ${access_token}`, proofBy())).toBe('authorized')
    expect(await ask(`DPoP ${access_token}`, proofBy(provingKey()))).toBe('invalid_token')
    expect(await ask(`DPoP ${access_token}`)).toBe('invalid_dpop_proof')
    expect(await ask(`Bearer ${access_token}`)).toBe('invalid_token')
    const headers = { authorization: `Bearer ${access_token}` }
    expect(bodyOf(await service.send('GET', '/api/oauth/userinfo', { headers })).error).toBe('invalid_token')
  })

  it('accepts bearer tokens without a proof', async () => {
    const { service, ask } = await guarded()
    const { access_token } = await tokensFor(service, await register(service))
    expect(await ask(`Bearer ${access_token}`)).toBe('authorized')
  })

  it('DP-07: without a valid token no signature is verified', async () => {
    const { access_token, ask, proofBy } = await guarded()
    const spoilt = { dpop: proofBy().dpop.slice(0, -8) }
    expect(await ask(`DPoP ${access_token.slice(0, -1)}_`, spoilt)).toBe('invalid_token')
    expect(await ask(`DPoP ${access_token}`, spoilt)).toBe('invalid_dpop_proof')
  })

  it('requires a nonce, if that is asked for', async () => {
    const nonce = 'required'
    expect(await requested({ nonce }, `${ISSUER}/notes`)).toBe('refused')
  })

  it.each(['DPoP', 'Bearer'])('challenges first by the scheme that was tried: %s', async (scheme) => {
    const { store } = open()
    const proofs = dpopProofs({ secret: SECRET })
    const api = createResourceServer({ resource: ISSUER, store, scopes: {}, proofs })
    const headers = { authorization: `${scheme} unknown` }
    const { response } = (await api.access({ ...request, headers })) as Refused
    expect(response.headers['www-authenticate']).toMatch(new RegExp(`^${scheme} error=`))
  })

  it('remembers a used proof for as long as it would be valid', async () => {
    const { clock, ask } = await strictly((now) => ({ iat: now + 60 }))
    expect((await ask()).kind).toBe('authorized')
    const errorOf = async () => JSON.parse(((await ask()) as Refused).response.body).error
    clock.now += 360
    expect(await errorOf()).toBe('invalid_dpop_proof')
    clock.now += 1
    expect(await errorOf()).toBe('use_dpop_nonce')
  })

  it('DP-14: responds with 503 if the store cannot check whether a proof was used', async () => {
    const service = open()
    const { tokens } = await boundTokens(service)
    const { store, clock } = service
    const down = {
      ...store,
      transients: { ...store.transients, insert: () => Promise.reject(new Error('down')) },
    }
    const proofs = dpopProofs({ secret: SECRET, replay: 'strict' })
    const options = { resource: ISSUER, scopes: {}, now: () => clock.now, proofs }
    const api = createResourceServer({ ...options, store: down as Service['store'] })
    const proof = proven(service, '/notes', { htm: 'GET', ath: hashOf(tokens.access_token) })
    const headers = { authorization: `DPoP ${tokens.access_token}`, ...proof }
    expect(await api.access({ ...request, headers })).toMatchObject({ response: { status: 503 } })
  })
})

describe('a device that proves a key', () => {
  it('gets bound tokens, and a lost response again for the same key only', async () => {
    const { service, tool, start, approve } = await openDeviceService({
      server: { features: [dpop()] },
    })
    const started = await start()
    const { device_code } = started
    const form = { grant_type: DEVICE_CODE_GRANT, client_id: tool.clientId, device_code }
    const poll = (key: ProvingKey) => token(service, form, proven(service, '/api/oauth/token', {}, key))
    expect(bodyOf(await poll(KEY)).error).toBe('authorization_pending')
    await approve(started)
    const answer = bodyOf<TokenAnswer>(await poll(KEY))
    expect(answer.token_type).toBe('DPoP')
    expect(bodyOf(await poll(KEY))).toMatchObject({ access_token: answer.access_token })
    expect(bodyOf(await poll(provingKey())).error).toBe('invalid_grant')
    expect(bodyOf(await token(service, form)).error).toBe('invalid_grant')
    const refreshing = { client_id: tool.clientId, grant_type: 'refresh_token' }
    const stolen = await token(service, { ...refreshing, refresh_token: answer.refresh_token })
    expect(bodyOf(stolen).error).toBe('invalid_dpop_proof')
  })
})

describe('a device code that was requested with a proof', () => {
  const PATH = '/api/oauth/device_authorization'

  async function openBound(options: Partial<DpopOptions> = {}) {
    const features = [dpop({ ...options })]
    const opened = await openDeviceService({ server: { features } })
    const { service, tool } = opened
    const { clientId: client_id } = tool
    const ask = (headers: Record<string, string> = proven(service, PATH)) =>
      service.send('POST', PATH, { form: { client_id, scope: 'courses:read' }, headers })
    const poll = (device_code: string, key?: ProvingKey) => {
      const form = { grant_type: DEVICE_CODE_GRANT, client_id, device_code }
      return token(service, form, key && proven(service, '/api/oauth/token', {}, key))
    }
    return { ...opened, ask, poll }
  }

  it.each(['waits', 'is approved'])(
    'DV-14: is rejected for every other key while it %s, and consumes nothing',
    async (state) => {
      const { ask, poll, approve } = await openBound()
      const started = bodyOf<Started>(await ask())
      if (state === 'is approved') await approve(started)
      for (const key of [provingKey(), undefined]) {
        const answer = await poll(started.device_code, key)
        expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_dpop_proof'])
      }
      if (state === 'waits') {
        expect(bodyOf(await poll(started.device_code, KEY)).error).toBe('authorization_pending')
        await approve(started)
      }
      expect(bodyOf(await poll(started.device_code, KEY)).token_type).toBe('DPoP')
    },
  )

  it('is not issued with an invalid proof', async () => {
    const { service, ask } = await openBound()
    const wrong = await ask(proven(service, PATH, { htm: 'GET' }))
    expect([wrong.status, bodyOf(wrong).error]).toEqual([400, 'invalid_dpop_proof'])
  })

  it('gets the nonce that its server requires', async () => {
    const { service, ask } = await openBound({ nonce: 'required' })
    const requested = await ask()
    expect(bodyOf(requested).error).toBe('use_dpop_nonce')
    expect((await ask(proven(service, PATH, { nonce: nonceOf(requested) }))).status).toBe(200)
  })

  it('is bound to no key without a proof, even with required DPoP', async () => {
    const { ask, poll, approve } = await openBound({ required: true })
    const started = bodyOf<Started>(await ask({}))
    await approve(started)
    expect(bodyOf(await poll(started.device_code, provingKey())).token_type).toBe('DPoP')
  })
})

it('the metadata names the algorithms of proofs', () => {
  const { metadata } = open({ algorithms: ['ES256'] }).server
  expect(metadata).toMatchObject({ dpop_signing_alg_values_supported: ['ES256'] })
})

it('introspection names the key of a bound token', async () => {
  const service = open()
  const { tokens } = await boundTokens(service)
  const api = await service.server.clients.add({ clientName: 'API', redirectUris: [], resourceServer: true })
  const form = { token: tokens.access_token, ...credentials(api) }
  const described = bodyOf(await service.send('POST', '/api/oauth/introspect', { form }))
  expect(described).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: KEY.thumbprint } })
})

describe('the exchange of a bound token', () => {
  it('works for an API with its own key, and not without a key', async () => {
    const service = openService({ features: [dpop(), tokenExchange()] })
    const { tokens } = await boundTokens(service)
    const added = { clientName: 'An API', redirectUris: ['https://api.example/cb'] }
    const exchanging = { grantTypes: [TOKEN_EXCHANGE], tokenExchangeResources: [ISSUER] }
    const api = await service.server.clients.add({ ...added, ...exchanging })
    const types = { grant_type: TOKEN_EXCHANGE, subject_token_type: ACCESS_TOKEN_TYPE }
    const secret = { client_id: api.clientId, client_secret: String(api.clientSecret) }
    const form = { ...secret, ...types, subject_token: tokens.access_token }
    expect(bodyOf(await token(service, form)).error).toBe('invalid_dpop_proof')
    const own = provingKey()
    const answer = await token(service, form, proven(service, '/api/oauth/token', {}, own))
    expect(bodyOf(answer).token_type).toBe('DPoP')
    const child = bodyOf<TokenAnswer>(answer).access_token
    expect((await userinfo(service, child, {}, own)).status).toBe(200)
    expect((await userinfo(service, child)).status).toBe(401)
  })
})

describe('a bound access token that is a JWT', () => {
  const API = `${ISSUER}/mcp`

  async function signed() {
    const service = openService({ features: [dpop(), jwtAccessTokens({ resources: { [API]: {} } })] })
    const { form } = await redemptionOf(service, { resource: API })
    const answer = await token(service, form, proven(service, '/api/oauth/token'))
    const keys = bodyOf<JSONWebKeySet>(await service.send('GET', '/api/oauth/jwks'))
    const edge = { issuer: ISSUER, resource: API, scopes: {}, keys, now: () => service.clock.now }
    return { service, accessToken: bodyOf<TokenAnswer>(answer).access_token, edge }
  }

  const call = (authorization: string, headers: object = {}) => {
    return { method: 'GET', path: '/mcp', query: '', body: '', headers: { authorization, ...headers } }
  }

  it('has the thumbprint of its key, and is accepted at a guard without the store only with a proof', async () => {
    const { service, accessToken, edge } = await signed()
    expect(decodeJwt(accessToken)).toMatchObject({ cnf: { jkt: KEY.thumbprint } })
    const api = createJwtResourceServer({ ...edge, proofs: dpopProofs({ secret: SECRET }) })
    const claims = { htm: 'GET', ath: hashOf(accessToken) }
    const ask = async (scheme: string, headers: object) =>
      (await api.access(call(`${scheme} ${accessToken}`, headers))).kind
    expect(await ask('DPoP', proven(service, '/mcp', claims))).toBe('authorized')
    expect(await ask('DPoP', proven(service, '/mcp', claims, provingKey()))).toBe('refused')
    expect(await ask('DPoP', {})).toBe('refused')
    expect(await ask('Bearer', {})).toBe('refused')
  })

  it('is rejected by a guard without DPoP', async () => {
    const { accessToken, edge } = await signed()
    const api = createJwtResourceServer(edge)
    expect(await api.access(call(`Bearer ${accessToken}`))).toMatchObject({ response: { status: 401 } })
  })
})

describe('an invalid option is named', () => {
  const guarded = { resource: ISSUER, store: createMemoryStore(), scopes: {} }
  const { transients: _, ...withoutTransients } = guarded.store

  it.each<[RegExp, () => unknown]>([
    [/algorithms must be some of \w+, /, () => dpop({ algorithms: [] })],
    [/algorithms/, () => dpop({ algorithms: ['none' as 'ES256'] })],
    [/algorithms/, () => dpop({ algorithms: ['ES256', 'none' as 'ES256'] })],
    [/dpopProofs: secret/, () => dpopProofs({ secret: 'short' })],
    [
      /resources\[1\]\.dpop needs the feature dpop/,
      () => openService({ resources: [ISSUER, { resource: `${ISSUER}/mcp`, dpop: 'required' }] }),
    ],
    [/two features bring senderConstraint/, () => openService({ features: [dpop(), dpop()] })],
    [
      /publicOrigin/,
      () => createResourceServer({ ...guarded, resource: 'urn:x:y', proofs: dpopProofs({ secret: SECRET }) }),
    ],
    ...['api.example', 'urn:https://api.example'].map((publicOrigin): [RegExp, () => unknown] => [
      /publicOrigin/,
      () => createResourceServer({ ...guarded, proofs: dpopProofs({ secret: SECRET, publicOrigin }) }),
    ]),
    [
      /forwardAuth: dpop\(\) binds every token to a key, so the option origin is required/,
      () => openService({ features: [dpop({ required: true }), forwardAuth()] }),
    ],
    [
      /forwardAuth: origin .* need dpop\(\)/,
      () => openService({ features: [forwardAuth({ origin: 'https://notes.example' })] }),
    ],
    [
      /transients/,
      () =>
        createResourceServer({
          ...guarded,
          store: withoutTransients,
          proofs: dpopProofs({ secret: SECRET, replay: 'strict' }),
        }),
    ],
  ])('%s', (message, create) => {
    expect(create).toThrow(message)
  })
})
