import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { createResourceServer, type HttpResponse, type ServerEvent } from '@grantkit/core'
import { dpop, dpopProofs } from '@grantkit/core/dpop'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { idJag, openForOrganization, present } from './assertions.ts'
import { credentials, register, tokensFor } from './client.ts'
import { hashOf, provingKey } from './dpop-key.ts'
import { boundTokens, open, proven, redemptionOf, SECRET, token } from './dpop-service.ts'
import { ISSUER, openService } from './service.ts'
import { assertionForm, assertionOf, newKey, openSigned } from './signed-assertions.ts'

/** A runtime whose signature primitives throw, as one does that lacks an algorithm. */

const FAULT = new Error('not implemented here')
const fail = () => {
  throw FAULT
}

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

function breakNodeCrypto(name: 'verify' | 'createVerify' | 'createPublicKey'): void {
  vi.spyOn(crypto, name).mockImplementation(fail)
  syncBuiltinESMExports()
}

const breakWebCrypto = () => void vi.spyOn(globalThis.crypto.subtle, 'verify').mockRejectedValue(FAULT)

const failed = (alg: string) => ({
  type: 'failed',
  error: 'server_error',
  reason: 'unexpected',
  cause: expect.objectContaining({
    message: `This runtime cannot verify signatures by ${alg}`,
    cause: FAULT,
  }),
})

const shortOf = ({ status, body }: HttpResponse) => [status, JSON.parse(body).error]

describe('a DPoP proof at a runtime that cannot verify it', () => {
  it.each([
    ['ES256', 'verify'],
    ['ES256', 'createPublicKey'],
    ['EdDSA', 'verify'],
    ['PS256', 'createVerify'],
    ['RS256', 'verify'],
  ] as const)('is a 500 with an event: %s by a %s that throws', async (alg, primitive) => {
    const service = open({ algorithms: [alg] })
    const { form } = await redemptionOf(service)
    const headers = proven(service, '/api/oauth/token', {}, provingKey(alg))
    breakNodeCrypto(primitive)
    expect(shortOf(await token(service, form, headers))).toEqual([500, 'server_error'])
    expect(service.events.at(-1)).toMatchObject(failed(alg))
  })

  it('is a 500 at the guard of an API', async () => {
    const service = open()
    const { tokens } = await boundTokens(service)
    const events: ServerEvent[] = []
    const { clock, store } = service
    const now = () => clock.now
    const proofs = dpopProofs({ secret: SECRET })
    const onEvent = (event: ServerEvent) => void events.push(event)
    const api = createResourceServer({ resource: ISSUER, store, scopes: {}, now, proofs, onEvent })
    const ath = hashOf(tokens.access_token)
    const headers = {
      authorization: `DPoP ${tokens.access_token}`,
      ...proven(service, '/notes', { htm: 'GET', ath }),
    }
    breakNodeCrypto('verify')
    const access = await api.access({ method: 'GET', path: '/notes', query: '', body: '', headers })
    expect(access).toMatchObject({ kind: 'refused', response: { status: 500 } })
    expect(events).toMatchObject([failed('ES256')])
  })
})

it('a proof is refused if its key makes the runtime throw', async () => {
  const service = openService({ features: [dpop()] })
  const { form } = await redemptionOf(service)
  const key = provingKey()
  const offTheCurve = { crv: 'P-256', kty: 'EC', x: 'A'.repeat(43), y: 'A'.repeat(43) }
  const claims = { jti: 'once', htm: 'POST', htu: `${ISSUER}/api/oauth/token`, iat: service.clock.now }
  const answer = await token(service, form, { dpop: key.proof(claims, { jwk: offTheCurve }) })
  expect(shortOf(answer)).toEqual([400, 'invalid_dpop_proof'])
})

it.each([
  ['ES256', 'verify'],
  ['EdDSA', 'verify'],
  ['PS256', 'createVerify'],
  ['RS256', 'verify'],
] as const)('a client assertion by %s is then a 500 with an event', async (alg, primitive) => {
  const key = await newKey(alg)
  const { service, client_id } = await openSigned([key])
  const form = { token: 'any', ...assertionForm(await assertionOf(service, key, client_id)) }
  const introspect = () => service.send('POST', '/api/oauth/introspect', { form })
  breakNodeCrypto(primitive)
  expect(shortOf(await introspect())).toEqual([500, 'server_error'])
  expect(service.events.at(-1)).toMatchObject(failed(alg))
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  expect((await introspect()).status, 'the assertion was not spent').toBe(200)
})

it('an ID-JAG is a 500 there too, and refused if its signature alone makes the runtime throw', async () => {
  const { service, assistant } = await openForOrganization()
  const status = async () => (await present(service, await idJag(service, assistant), assistant)).status
  breakNodeCrypto('verify')
  expect(await status()).toBe(500)
  expect(service.events.at(-1)).toMatchObject(failed('RS256'))
  vi.restoreAllMocks()
  vi.spyOn(crypto, 'verify').mockImplementationOnce(fail)
  syncBuiltinESMExports()
  expect(await status()).toBe(400)
})

it('a wrong signature that the runtime refuses is verified once', async () => {
  const [key, other] = [await newKey(), await newKey()]
  const { service, client_id } = await openSigned([key])
  const form = { token: 'any', ...assertionForm(await assertionOf(service, other, client_id)) }
  const verify = vi.spyOn(crypto, 'verify')
  syncBuiltinESMExports()
  expect(shortOf(await service.send('POST', '/api/oauth/introspect', { form }))[0]).toBe(401)
  expect(verify).toHaveBeenCalledTimes(1)
})

it('a client assertion is refused if its signature makes the runtime throw', async () => {
  const key = await newKey('EdDSA')
  const { service, client_id } = await openSigned([key])
  const form = { token: 'any', ...assertionForm(await assertionOf(service, key, client_id)) }
  // As workerd does for a signature of another length.
  vi.spyOn(crypto, 'verify').mockImplementationOnce(fail)
  syncBuiltinESMExports()
  const answer = await service.send('POST', '/api/oauth/introspect', { form })
  expect(shortOf(answer)).toEqual([401, 'invalid_client'])
})

describe('a signed access token at such a runtime', () => {
  async function openJwt() {
    const service = openService({ features: [jwtAccessTokens({ resources: { [ISSUER]: {} } })] })
    const client = await register(service, { token_endpoint_auth_method: 'client_secret_post' })
    const { access_token } = await tokensFor(service, client, { resource: ISSUER })
    return { service, client, access_token }
  }

  it('is a 500 at the guard without the store', async () => {
    const { service, access_token } = await openJwt()
    const events: ServerEvent[] = []
    const api = createJwtResourceServer({
      issuer: ISSUER,
      resource: ISSUER,
      scopes: {},
      keys: JSON.parse((await service.send('GET', '/api/oauth/jwks')).body),
      now: () => service.clock.now,
      onEvent: (event) => void events.push(event as ServerEvent),
    })
    const headers = { authorization: `Bearer ${access_token}` }
    const access = () => api.access({ method: 'GET', path: '/', query: '', body: '', headers })
    breakWebCrypto()
    expect(await access()).toMatchObject({ kind: 'refused', response: { status: 500 } })
    expect(events).toMatchObject([failed('ES256')])
    vi.restoreAllMocks()
    expect(await access()).toMatchObject({ kind: 'authorized' })
  })

  it('is a 500 at introspection, and not inactive', async () => {
    const { service, client, access_token } = await openJwt()
    const form = { ...credentials(client), token: access_token }
    breakWebCrypto()
    const answer = await service.send('POST', '/api/oauth/introspect', { form })
    expect(shortOf(answer)).toEqual([500, 'server_error'])
    expect(service.events.at(-1)).toMatchObject(failed('ES256'))
  })
})
