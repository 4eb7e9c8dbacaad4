import { clientAssertion } from '@grantkit/core/client-assertion'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { requestObjects } from '@grantkit/core/request-objects'
import { describe, expect, it } from 'vitest'
import { arrive, authorizationQuery, authorize, bodyOf, decide, redirectOf, register } from './client.ts'
import { DOCUMENT, ID, openWithDocuments } from './document-host.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'
import { assertionForm, assertionOf, type Claims, newKey } from './signed-assertions.ts'
import { added, KEY, objectOf, openSigning, push, queryOf, reasonOf } from './signed-requests.ts'

const accepted = ({ events }: Service) =>
  events.filter(({ type }) => (type as string) === 'request_object_accepted')

describe('a request object', () => {
  it.each(['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'])(
    'leads to consent and a code, signed by %s',
    async (alg) => {
      const { service } = await openSigning()
      const key = await newKey(alg)
      const client_id = await added(service, {}, { ...key, jwk: { ...key.jwk, kid: 'one' } })
      const object = await objectOf(service, client_id, {}, { kid: 'one' }, key)
      const { answer } = await arrive(service, queryOf(client_id, object))
      expect(answer, answer.body).toMatchObject({ status: 200, body: 'consent' })
      expect(accepted(service), 'before the user has decided').toEqual([])
      expect(redirectOf(await decide(service))).toEqual({
        code: expect.any(String),
        state: 'signed',
        iss: ISSUER,
      })
      expect(accepted(service)).toEqual([
        {
          type: 'request_object_accepted',
          clientId: client_id,
          subject: 'alice',
          kid: 'one',
          hash: expect.stringMatching(/^[\w-]{43}$/),
          requestObject: object,
        },
      ])
    },
  )

  it('is pushed too: its parameters are sealed, and the browser brings a request_uri', async () => {
    const { service, client_id } = await openSigning()
    const object = await objectOf(service, client_id, { nonce: 'x'.repeat(1500) })
    const { status, request_uri } = await push(service, client_id, object)
    expect([status, accepted(service)]).toEqual([201, [expect.objectContaining({ requestObject: object })]])
    expect(accepted(service)).toEqual([expect.objectContaining({ subject: undefined, authenticated: true })])
    const query = String(new URLSearchParams({ client_id, request_uri }))
    expect((await arrive(service, query)).answer.body).toBe('consent')
    expect(redirectOf(await decide(service))).toMatchObject({ code: expect.any(String), state: 'signed' })
    expect(accepted(service), 'once').toHaveLength(1)
  })

  it('that is too long to be pushed is not accepted', async () => {
    const { service, client_id } = await openSigning()
    const object = await objectOf(service, client_id, { state: 'x'.repeat(4500) })
    expect(await push(service, client_id, object)).toMatchObject({ status: 413 })
    expect(accepted(service)).toEqual([])
  })

  it.each<[string, Claims, object?]>([
    ['for several servers', { aud: ['https://elsewhere.example', ISSUER] }],
    ['without iss', { iss: undefined }],
    ['without nbf and iat', { nbf: undefined, iat: undefined }],
    ['of a clock that is 8 seconds ahead', { nbf: 1_800_000_008, iat: 1_800_000_008 }],
    ['of an hour', { nbf: 1_799_996_400, exp: 1_800_000_000 }],
    ['that ends in an hour and a minute', { nbf: undefined, exp: 1_800_003_660 }],
    ['with the typ JWT', {}, { typ: 'JWT' }],
    ['without typ', {}, { typ: undefined }],
    ['with a typ in full', {}, { typ: 'application/OAuth-Authz-Req+JWT' }],
    ['with max_age as a number', { max_age: 3600 }],
    ['with a claim that is null', { prompt: null, response_mode: null }],
    ['with resources in a list', { resource: [ISSUER, `${ISSUER}/mcp`] }],
    ['with claims as JSON', { claims: { userinfo: { name: null } } }],
  ])('passes %s', async (_, claims, header) => {
    const { service, client_id } = await openSigning()
    const { answer } = await arrive(
      service,
      queryOf(client_id, await objectOf(service, client_id, claims, header)),
    )
    expect([answer.body, reasonOf(service)]).toEqual(['consent', undefined])
    if (claims.resource) expect(service.shown.consent?.resources).toEqual(claims.resource)
  })

  it.each<[string, Claims, string, object?]>([
    ['for another server', { aud: 'https://evil.example' }, 'request_object_audience'],
    ['without aud', { aud: undefined }, 'request_object_audience'],
    ['of another client', { client_id: 'other' }, 'request_object_client'],
    ['without client_id', { client_id: undefined }, 'request_object_client'],
    ['by another issuer', { iss: 'other' }, 'request_object_client'],
    ['without exp', { exp: undefined }, 'request_object_times'],
    ['whose exp is a text', { exp: '1800000300' }, 'request_object_times'],
    ['whose nbf is a text', { nbf: 'now' }, 'request_object_times'],
    ['that has expired', { exp: 1_799_999_940 }, 'request_object_expired'],
    ['of the future', { nbf: 1_800_000_061 }, 'request_object_early'],
    ['that lives for 70 minutes', { exp: 1_800_004_200 }, 'request_object_too_long'],
    ['that is 70 minutes old', { nbf: 1_799_995_800, exp: 1_800_000_060 }, 'request_object_too_long'],
    [
      'that lives for 70 minutes, half of them over',
      { nbf: 1_799_997_900, exp: 1_800_002_100 },
      'request_object_too_long',
    ],
    [
      'that is an hour old and has just ended',
      { nbf: 1_799_996_399, exp: 1_799_999_970 },
      'request_object_too_long',
    ],
    ['that never ends', { nbf: undefined, exp: 9_000_000_000 }, 'request_object_too_long'],
    ['with a request in it', { request: 'e30.e30.x' }, 'request_object_malformed'],
    ['with a request_uri in it', { request_uri: 'urn:x' }, 'request_object_malformed'],
    ['that is an access token', {}, 'request_object_typ', { typ: 'at+jwt' }],
    ['that is a DPoP proof', {}, 'request_object_typ', { typ: 'dpop+jwt' }],
  ])('is refused on a page %s', async (_, claims, reason, header) => {
    const { service, client_id } = await openSigning()
    const object = await objectOf(service, client_id, claims, header)
    const { answer } = await arrive(service, queryOf(client_id, object))
    expect([answer.status, reasonOf(service)]).toEqual([400, reason])
    expect(service.shown.error).toMatchObject({ error: 'invalid_request_object', reason })
    expect(await push(service, client_id, object)).toMatchObject({
      status: 400,
      error: 'invalid_request_object',
    })
  })

  it('with a valid signature gets its other errors at the redirect URI in it', async () => {
    const { service, client_id } = await openSigning()
    const object = await objectOf(service, client_id, { scope: 'courses:reed' })
    const { answer } = await arrive(service, queryOf(client_id, object, { state: 'outside' }))
    expect(answer.headers.location).toMatch(new RegExp(`^${REDIRECT_URI}`))
    expect(redirectOf(answer)).toMatchObject({ error: 'invalid_scope', state: 'signed' })
  })

  it('may expire while its user signs in, reloads and reads', async () => {
    const { service, client_id } = await openSigning()
    const object = await objectOf(service, client_id)
    const { query } = await arrive(service, queryOf(client_id, object))
    service.clock.now += 500
    expect((await authorize(service, query)).body).toBe('consent')
    expect(redirectOf(await decide(service))).toMatchObject({ code: expect.any(String) })
    await arrive(service, queryOf(client_id, object))
    expect(reasonOf(service)).toBe('request_object_expired')
  })

  it('needs nbf where the server requires it', async () => {
    const { service, client_id } = await openSigning({ nbf: 'required' })
    await arrive(service, queryOf(client_id, await objectOf(service, client_id, { nbf: undefined })))
    expect(reasonOf(service)).toBe('request_object_times')
    const { answer } = await arrive(service, queryOf(client_id, await objectOf(service, client_id)))
    expect(answer.body).toBe('consent')
  })

  it('is signed by the algorithm that its client registered', async () => {
    const { service } = await openSigning()
    const client_id = await added(service, { requestObjectSigningAlg: 'PS256' })
    await arrive(service, queryOf(client_id, await objectOf(service, client_id)))
    expect(reasonOf(service)).toBe('request_object_algorithm')
    const key = await newKey('Ed25519')
    const other = await added(service, { requestObjectSigningAlg: 'EdDSA' }, key)
    const object = await objectOf(service, other, {}, {}, key)
    expect((await arrive(service, queryOf(other, object))).answer.body).toBe('consent')
  })
})

it('with a fraction in exp has an answer whose end is a whole second', async () => {
  const { service, client_id } = await openSigning()
  await arrive(service, queryOf(client_id, await objectOf(service, client_id, { exp: 1_800_000_300.5 })))
  const { code = '' } = redirectOf(await decide(service))
  expect(code).not.toBe('')
  for await (const grant of service.store.grants.scan()) expect(JSON.stringify(grant)).not.toContain('.5')
})

it('of a client whose document no user has approved is not pushed: nothing could be verified', async () => {
  const features = [clientAssertion(), pushedAuthorizationRequests(), requestObjects()]
  const { service } = openWithDocuments({ features })
  const form = { client_id: ID, request: await objectOf(service, ID) }
  const answer = await service.send('POST', '/api/oauth/par', { form })
  expect([answer.status, bodyOf(answer).error]).toEqual([401, 'invalid_client'])
  expect(reasonOf(service)).toBe('client_not_approved')
})

it('of a client with a document is verified once its user has signed in', async () => {
  const { service, host } = openWithDocuments({ features: [clientAssertion(), requestObjects()] })
  const members = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.jwk] } }
  host.answer = { document: { ...DOCUMENT, ...members } }
  const query = queryOf(ID, await objectOf(service, ID))
  const [, marked = ''] = String((await authorize(service, query, {})).headers.location).split('?')
  await authorize(service, marked, {})
  expect(service.shown.signInHint).toMatchObject({ clientHost: new URL(ID).host })
  expect((await arrive(service, query)).answer.body).toBe('consent')
  const forged = queryOf(ID, await objectOf(service, ID, {}, {}, await newKey()))
  await arrive(service, forged)
  expect(reasonOf(service)).toBe('request_object_signature')
})

it('of a client whose document requires it is the only request, by the algorithm in it', async () => {
  const { service, host } = openWithDocuments({ features: [clientAssertion(), requestObjects()] })
  const members = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.jwk] } }
  const signing = { require_signed_request_object: true, request_object_signing_alg: 'PS256' }
  host.answer = { document: { ...DOCUMENT, ...members, ...signing } }
  const plain = await authorize(service, authorizationQuery(ID))
  expect([redirectOf(plain).error, reasonOf(service)]).toEqual(['invalid_request', 'request_object_missing'])
  await arrive(service, queryOf(ID, await objectOf(service, ID)))
  expect(reasonOf(service)).toBe('request_object_algorithm')
})

describe('requests that are not signed', () => {
  it.each([
    ['the server requires it', { required: true }, {}],
    ['the client registered it', {}, { requireSignedRequestObject: true }],
  ])('are refused if %s, at the redirect URI and at the push', async (_, options, metadata) => {
    const { service, client_id } = await openSigning(options, metadata)
    expect(redirectOf(await authorize(service, authorizationQuery(client_id)))).toMatchObject({
      error: 'invalid_request',
    })
    expect(reasonOf(service)).toBe('request_object_missing')
    const plain = new URLSearchParams(authorizationQuery(client_id))
    const form = {
      ...Object.fromEntries(plain),
      ...assertionForm(await assertionOf(service, KEY, client_id)),
    }
    const answer = await service.send('POST', '/api/oauth/par', { form })
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_request'])
    const { request_uri } = await push(service, client_id, await objectOf(service, client_id))
    const query = String(new URLSearchParams({ client_id, request_uri }))
    expect((await arrive(service, query)).answer.body).toBe('consent')
  })

  it('are accepted otherwise', async () => {
    const { service, client_id } = await openSigning()
    expect((await authorize(service, authorizationQuery(client_id))).body).toBe('consent')
  })
})

describe('the metadata', () => {
  it('say what is accepted, and that no request_uri is', async () => {
    const { service } = await openSigning({ required: true, algorithms: ['ES256', 'EdDSA'] })
    expect(service.server.metadata).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
      request_object_signing_alg_values_supported: ['ES256', 'EdDSA', 'Ed25519'],
      require_signed_request_object: true,
    })
  })

  it('have nothing of it without the feature', () => {
    const { metadata } = openService().server
    expect(metadata.request_parameter_supported).toBe(false)
    expect(JSON.stringify(metadata)).not.toContain('request_object')
  })
})

it('no client registers itself with them, and none is added that requires them without a key', async () => {
  const { service } = await openSigning()
  const own = await register(service, { require_signed_request_object: true })
  expect((await authorize(service, authorizationQuery(own.clientId))).body).toBe('consent')
  await expect(
    service.server.clients.add({
      ...{ clientName: 'Keyless', redirectUris: [REDIRECT_URI] },
      requireSignedRequestObject: true,
    } as never),
  ).rejects.toThrow('require_signed_request_object needs jwks or jwks_uri')
})

it('where all must sign, a client with a redirect URI needs a key, and no other does', async () => {
  const { service } = await openSigning({ required: true })
  const { clients } = service.server
  const keyless = { clientName: 'Keyless', tokenEndpointAuthMethod: 'client_secret_basic' } as const
  await expect(clients.add({ ...keyless, redirectUris: [REDIRECT_URI] })).rejects.toThrow(
    'require_signed_request_object needs jwks or jwks_uri',
  )
  const redirect_uris = [REDIRECT_URI]
  const answer = await service.send('POST', '/api/oauth/register', { json: { redirect_uris } })
  expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_client_metadata'])
  await clients.add({ ...keyless, redirectUris: [], resourceServer: true })
})

it.each([
  [() => requestObjects({ maxAge: 59 }), 'requestObjects: maxAge'],
  [() => requestObjects({ maxAge: 3601 }), 'requestObjects: maxAge'],
  [() => requestObjects({ algorithms: ['HS256' as never] }), 'requestObjects: algorithms'],
  [() => openService({ features: [requestObjects()] }), 'requestObjects: needs clientAssertion'],
])('a wrong setting stops the start: %#', (create, message) => {
  expect(create).toThrow(message)
})
