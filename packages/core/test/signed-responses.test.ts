import type { Feature, HttpResponse } from '@grantkit/core'
import { type ResponseMode, ResponseModes } from '@grantkit/core/feature'
import { type SignedResponsesOptions, signedResponses } from '@grantkit/core/signed-responses'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, bodyOf, decide, redeem, redirectOf, register } from './client.ts'
import { DOCUMENT, ID, openWithDocuments } from './document-host.ts'
import { ISSUER, openService, type Service } from './service.ts'
import { reasonOf } from './signed-requests.ts'
import { TEST_KEYS } from './signing-keys.ts'

/** Stands in for the form of another feature: it shows the fields as JSON. */
const form: ResponseMode = {
  name: 'form_post',
  redirects: false,
  fits: () => true,
  answer: (_, parameters) => ({ status: 200, headers: {}, body: JSON.stringify(parameters) }),
}
const forms: Feature = () => ({ responseModes: new ResponseModes([form]) })

async function opened(options: SignedResponsesOptions = {}, metadata: object = {}) {
  const service = openService({ features: [signedResponses(options), forms] })
  return { service, client: await register(service, metadata) }
}

/** The answer, as its client verifies it. */
async function verified(service: Service, { response, ...beside }: Record<string, string>, audience: string) {
  expect(beside, 'nothing stands beside the response').toEqual({})
  const keys = bodyOf<JSONWebKeySet>(await service.send('GET', '/api/oauth/jwks'))
  const currentDate = new Date(service.clock.now * 1000)
  const options = { issuer: ISSUER, audience, currentDate }
  const { payload, protectedHeader } = await jwtVerify(String(response), createLocalJWKSet(keys), options)
  return { ...payload, alg: protectedHeader.alg } as Record<string, unknown>
}

describe('a signed response', () => {
  it.each<[string, (answer: HttpResponse) => Record<string, string>]>([
    ['jwt', redirectOf],
    ['query.jwt', redirectOf],
    ['form_post.jwt', bodyOf],
  ])('has the code, the state, the issuer and the client in one JWT: %s', async (response_mode, read) => {
    const { service, client } = await opened()
    await authorize(service, authorizationQuery(client.clientId, { response_mode }))
    const answer = await verified(service, read(await decide(service)), client.clientId)
    expect(answer).toEqual({
      ...{ iss: ISSUER, aud: client.clientId, exp: service.clock.now + 120, alg: 'RS256' },
      ...{ code: expect.any(String), state: 'a state' },
    })
    expect((await redeem(service, client, String(answer.code))).status).toBe(200)
  })

  it('has errors too: of the user, and of the request', async () => {
    const { service, client } = await opened()
    const ask = (more: object) =>
      authorize(service, authorizationQuery(client.clientId, { response_mode: 'jwt', ...more }))
    const errorIn = async (answer: HttpResponse) =>
      await verified(service, redirectOf(answer), client.clientId)
    await ask({})
    expect(await errorIn(await decide(service, { decision: 'deny' }))).toMatchObject({
      ...{ error: 'access_denied', error_description: expect.any(String), state: 'a state' },
    })
    expect(await errorIn(await ask({ scope: 'unknown' }))).toMatchObject({ error: 'invalid_scope' })
    expect(await errorIn(await ask({ prompt: 'none' }))).toMatchObject({ error: 'consent_required' })
  })

  it('is signed by the algorithm that its client registered, and then no answer is plain', async () => {
    const { service, client } = await opened({}, { authorization_signed_response_alg: 'ES256' })
    const answers = [undefined, 'query', 'form_post', 'fragment.jwt'].map((response_mode) =>
      authorize(service, authorizationQuery(client.clientId, { response_mode })),
    )
    for (const answer of await Promise.all(answers)) {
      expect(reasonOf(service)).toBe('signed_response_required')
      expect(await verified(service, redirectOf(answer), client.clientId)).toMatchObject({
        ...{ alg: 'ES256', error: 'invalid_request', state: 'a state' },
        error_description: 'response_mode must be one of jwt, query.jwt, form_post.jwt',
      })
    }
  })

  it('is the only answer where the server requires it, signed as the server chose', async () => {
    const { service, client } = await opened({ required: true, algorithm: 'EdDSA' })
    const refused = await authorize(service, authorizationQuery(client.clientId))
    expect(await verified(service, redirectOf(refused), client.clientId)).toMatchObject({
      ...{ alg: 'EdDSA', error: 'invalid_request' },
    })
  })

  it('mix-up: is no answer of another server or for another client, and none after two minutes', async () => {
    const { service, client } = await opened()
    await authorize(service, authorizationQuery(client.clientId, { response_mode: 'jwt' }))
    const answer = redirectOf(await decide(service))
    await expect(verified(service, answer, 'another client')).rejects.toThrow('aud')
    service.clock.now += 120
    await expect(verified(service, answer, client.clientId)).rejects.toThrow('exp')
  })

  it('is no ID token: it names no user, and is no hint', async () => {
    const { service, client } = await opened()
    await authorize(service, authorizationQuery(client.clientId, { response_mode: 'jwt' }))
    const { response = '' } = redirectOf(await decide(service))
    const query = authorizationQuery(client.clientId, { id_token_hint: response })
    expect(redirectOf(await authorize(service, query))).toMatchObject({ error: 'login_required' })
  })
})

describe('the metadata', () => {
  it('list the modes and the algorithms, and form_post.jwt with form_post alone', async () => {
    const { service } = await opened()
    expect(service.server.metadata).toMatchObject({
      response_modes_supported: ['query', 'jwt', 'query.jwt', 'form_post.jwt', 'form_post'],
      authorization_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
    })
    const alone = openService({ features: [signedResponses()] }).server.metadata
    expect(alone.response_modes_supported).toEqual(['query', 'jwt', 'query.jwt'])
  })

  it('have nothing of it without the feature', () => {
    expect(JSON.stringify(openService().server.metadata)).not.toMatch(/authorization_signing|\.jwt/)
  })
})

it('a client says in its document that its answers are signed, and by what', async () => {
  const { service, host } = openWithDocuments({ features: [signedResponses()] })
  for (const [alg, response_mode, shown] of [
    ['ES256', undefined, undefined],
    ['ES256', 'jwt', 'consent'],
    ['unknown', undefined, 'consent'],
  ]) {
    host.answer = { document: { ...DOCUMENT, authorization_signed_response_alg: alg } }
    service.clock.now += 7 * 24 * 60 * 60
    const answer = await authorize(service, authorizationQuery(ID, { response_mode }))
    expect(answer.body, alg).toBe(shown ?? '')
  }
})

it('a document with an algorithm for which the server has no key is refused: its client would reject each answer', async () => {
  const keys = TEST_KEYS.filter(({ alg }) => alg !== 'EdDSA')
  const { service, host } = openWithDocuments({ keys, features: [signedResponses()] })
  host.answer = { document: { ...DOCUMENT, authorization_signed_response_alg: 'EdDSA' } }
  expect(await authorize(service, authorizationQuery(ID, { response_mode: 'jwt' }))).toMatchObject({
    status: 400,
  })
})

it('a server without a key for its algorithm does not start', () => {
  const keys = TEST_KEYS.filter(({ alg }) => alg !== 'EdDSA')
  const features = [signedResponses({ algorithm: 'EdDSA' })]
  expect(() => openService({ keys, features })).toThrow('keys: signedResponses needs a key for EdDSA')
})
