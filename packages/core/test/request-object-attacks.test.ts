import { clientAssertion } from '@grantkit/core/client-assertion'
import { dpop } from '@grantkit/core/dpop'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { requestObjects } from '@grantkit/core/request-objects'
import { CompactSign, SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { arrive, authorize, bodyOf, decide, redirectOf } from './client.ts'
import { KEY as PUSHER, proven } from './dpop-service.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'
import { assertionForm, assertionOf, newKey, proves } from './signed-assertions.ts'
import { added, KEY, objectOf, openSigning, push, queryOf, reasonOf } from './signed-requests.ts'

/** What an attacker does with signed requests, and what comes of it. */

async function pushed(service: Service, client_id: string, object: string): Promise<string> {
  const { request_uri } = await push(service, client_id, object)
  return String(new URLSearchParams({ client_id, request_uri }))
}

async function refusal(service: Service, query: string): Promise<string | undefined> {
  const { answer } = await arrive(service, query)
  expect(answer.body).not.toBe('consent')
  return reasonOf(service)
}

it('replay: an object gives one answer, in whichever browser', async () => {
  const { service, client_id } = await openSigning()
  const query = queryOf(client_id, await objectOf(service, client_id))
  const { query: first } = await arrive(service, query)
  const { query: second } = await arrive(service, query)
  expect(redirectOf(await decide(service))).toMatchObject({ code: expect.any(String) })
  for (const again of [query, first, second]) {
    expect((await authorize(service, again, { cookie: 'user=bob' })).body).not.toBe('consent')
    const [path, marked = ''] = String((await authorize(service, again)).headers.location ?? '').split('?')
    if (path === '/oauth/authorize') await authorize(service, marked)
    expect(reasonOf(service)).toBe('request_object_spent')
  }
})

it('replay: two forms of one object open one grant', async () => {
  const { service, client_id } = await openSigning()
  const query = queryOf(client_id, await objectOf(service, client_id))
  await arrive(service, query)
  const consent = service.shown.consent
  await arrive(service, query)
  expect(redirectOf(await decide(service))).toMatchObject({ code: expect.any(String) })
  Object.assign(service.shown, { consent })
  expect(redirectOf(await decide(service))).toMatchObject({ error: 'invalid_request' })
})

it('replay: another signature of the same content is the same object', async () => {
  const { service, client_id } = await openSigning()
  const object = await objectOf(service, client_id)
  await arrive(service, queryOf(client_id, object))
  await decide(service)
  const [head, payload] = object.split('.')
  const again = await new CompactSign(Buffer.from(String(payload), 'base64url'))
    .setProtectedHeader(JSON.parse(Buffer.from(String(head), 'base64url').toString()))
    .sign(KEY.privateKey)
  expect(again).not.toBe(object)
  expect(await refusal(service, queryOf(client_id, again))).toBe('request_object_spent')
})

it('replay: an object that was pushed gives one answer, by value and by each request_uri', async () => {
  const { service, client_id } = await openSigning()
  const object = await objectOf(service, client_id, { exp: service.clock.now + 3600 })
  const [first, second] = [await pushed(service, client_id, object), await pushed(service, client_id, object)]
  await arrive(service, first)
  expect(redirectOf(await decide(service, { decision: 'deny' }))).toMatchObject({ error: 'access_denied' })
  expect(await refusal(service, second)).toBe('request_uri_spent')
  service.clock.now += 3599
  const last = await pushed(service, client_id, object)
  service.clock.now += 59
  expect(await refusal(service, queryOf(client_id, object))).toBe('request_object_spent')
  expect(await refusal(service, last)).toBe('request_uri_spent')
})

it('replay: an object that was answered by value is spent when it is pushed', async () => {
  const { service, client_id } = await openSigning()
  const object = await objectOf(service, client_id)
  await arrive(service, queryOf(client_id, object))
  await decide(service)
  expect(await refusal(service, await pushed(service, client_id, object))).toBe('request_uri_spent')
})

it('replay: an answer is remembered for as long as a push of the last moment lives', async () => {
  const features = [clientAssertion(), pushedAuthorizationRequests({ lifetime: 599 }), requestObjects()]
  const service = openService({ features, lifetimes: { consentTicket: 10 } })
  const client_id = await added(service)
  const object = await objectOf(service, client_id)
  await arrive(service, queryOf(client_id, object))
  await decide(service, { decision: 'deny' })
  service.clock.now += 359
  const query = await pushed(service, client_id, object)
  service.clock.now += 598
  expect(await refusal(service, query)).toBe('request_uri_spent')
})

it.each([
  ['binds no code of a public client', 'none', false],
  ['binds the code of a client that authenticates', 'private_key_jwt', true],
])('theft: the DPoP key of whoever pushes an object %s', async (_, tokenEndpointAuthMethod, isBound) => {
  const features = [clientAssertion(), pushedAuthorizationRequests(), requestObjects(), dpop()]
  const service = openService({ features })
  const client_id = await added(service, { tokenEndpointAuthMethod })
  const authenticated = isBound ? assertionForm(await assertionOf(service, KEY, client_id)) : {}
  const form = { client_id, request: await objectOf(service, client_id), ...authenticated }
  const headers = proven(service, '/api/oauth/par')
  const answer = await service.send('POST', '/api/oauth/par', { form, headers })
  const { request_uri } = bodyOf<{ request_uri: string }>(answer)
  await arrive(service, String(new URLSearchParams({ client_id, request_uri })))
  expect(redirectOf(await decide(service))).toMatchObject({ code: expect.any(String) })
  for await (const grant of service.store.grants.scan())
    expect(JSON.stringify(grant).includes(PUSHER.thumbprint)).toBe(isBound)
})

it('replay: an object that the user denied is spent, and its mark outlives it', async () => {
  const { service, client_id } = await openSigning()
  const query = queryOf(client_id, await objectOf(service, client_id))
  const { query: marked } = await arrive(service, query)
  expect(redirectOf(await decide(service, { decision: 'deny' }))).toMatchObject({ error: 'access_denied' })
  service.clock.now += 359
  expect(await refusal(service, query)).toBe('request_object_spent')
  expect(await refusal(service, marked)).toBe('request_object_spent')
})

it('confusion: a client assertion is no request object, and the reverse', async () => {
  const { service, client_id } = await openSigning()
  const likeRequest = { client_id, response_type: 'code', redirect_uri: REDIRECT_URI }
  const assertion = await assertionOf(service, KEY, client_id, likeRequest)
  expect(await refusal(service, queryOf(client_id, assertion))).toBe('request_object_client')
  const likeAssertion = { sub: client_id, jti: 'once' }
  const object = await objectOf(service, client_id, likeAssertion)
  expect(await refusal(service, queryOf(client_id, object))).toBe('request_object_client')
  for (const [form, reason] of [
    [object, 'assertion_typ'],
    [await objectOf(service, client_id, { jti: 'once' }, { typ: 'JWT' }), 'assertion_malformed'],
  ] as const)
    expect(await proves(service, { client_id, ...assertionForm(form) })).toMatchObject({
      status: 401,
      reason,
    })
})

it("forgery: another client's key signs nothing for this client", async () => {
  const { service, client_id } = await openSigning()
  const foreign = await newKey()
  const other = await added(service, {}, foreign)
  const forged = await objectOf(service, client_id, {}, {}, foreign)
  expect(await refusal(service, queryOf(client_id, forged))).toBe('request_object_signature')
  const own = await objectOf(service, other, {}, {}, foreign)
  expect(await refusal(service, queryOf(client_id, own))).toBe('request_object_client')
  const form = { request: forged, ...assertionForm(await assertionOf(service, foreign, other)) }
  const answer = await service.send('POST', '/api/oauth/par', { form })
  expect([answer.status, reasonOf(service)]).toEqual([400, 'request_object_client'])
})

it.each<[string, object]>([
  ['a kid that is a path', { kid: '../../../dev/null' }],
  ['a kid that is an address', { kid: 'https://evil.example/key' }],
  ['jku', { jku: 'https://evil.example/jwks' }],
  ['x5u', { x5u: 'https://evil.example/cert' }],
])('forgery: %s in the header leads to no key but those of the client', async (_, header) => {
  const { service, client_id } = await openSigning()
  const forged = await objectOf(service, client_id, {}, header, await newKey())
  expect(await refusal(service, queryOf(client_id, forged))).toBe('request_object_signature')
})

it('forgery: a key in the header is no key', async () => {
  const { service, client_id } = await openSigning()
  const own = await newKey()
  const forged = await objectOf(service, client_id, {}, { jwk: own.jwk }, own)
  expect(await refusal(service, queryOf(client_id, forged))).toBe('request_object_signature')
})

it('forgery: no algorithm without a private key, no encryption, no unknown extension', async () => {
  const { service, client_id } = await openSigning()
  const valid = await objectOf(service, client_id)
  const [, payload = ''] = valid.split('.')
  const header = (alg: string) => Buffer.from(JSON.stringify({ alg })).toString('base64url')
  const claims = Buffer.from(payload, 'base64url')
  const symmetric = await new CompactSign(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(JSON.stringify(KEY.jwk)))
  for (const forged of [`${header('none')}.${payload}.`, symmetric])
    expect(await refusal(service, queryOf(client_id, forged))).toBe('request_object_algorithm')
  const critical = await new SignJWT(JSON.parse(claims.toString()))
    .setProtectedHeader({ alg: 'ES256', crit: ['x'], x: true })
    .sign(KEY.privateKey, { crit: { x: true } })
  for (const unreadable of [critical, `${valid}.x.y`, 'x', 'e30.e30', `${header('ES256')}.W10.x`])
    expect(await refusal(service, queryOf(client_id, unreadable))).toBe('request_object_malformed')
})

it('smuggling: nothing outside the object counts, in a query and at a push', async () => {
  const { service, client_id } = await openSigning()
  const outside = {
    ...{ state: 'outside', nonce: 'outside', scope: 'courses:write', prompt: 'none', max_age: '0' },
    ...{ redirect_uri: 'http://127.0.0.1:7001/other', response_mode: 'fragment', resource: 'x:y' },
  }
  const object = await objectOf(service, client_id, { state: undefined })
  const expectInside = async () => {
    expect(service.shown.consent).toMatchObject({
      redirectUri: REDIRECT_URI,
      scopes: [{ name: 'courses:read' }],
      resources: [],
    })
    expect(Object.keys(redirectOf(await decide(service)))).toEqual(['code', 'iss'])
  }
  await arrive(service, queryOf(client_id, object, outside))
  await expectInside()
  const inside = await objectOf(service, client_id, { state: undefined, nonce: 'new' })
  const { request_uri } = await push(service, client_id, inside, outside)
  await arrive(service, String(new URLSearchParams({ client_id, request_uri })))
  await expectInside()
})

it('smuggling: a request_uri beside the object is refused, and none is ever fetched', async () => {
  const { service, client_id } = await openSigning()
  const object = await objectOf(service, client_id)
  for (const more of [
    { request_uri: 'https://app.example/object' },
    { request_uri: 'http://169.254.169.254/' },
  ])
    expect(await refusal(service, queryOf(client_id, object, more))).toBe('request_uri_unsupported')
  const only = String(new URLSearchParams({ client_id, request_uri: 'https://app.example/object' }))
  expect(await refusal(service, only)).toBe('request_uri_unsupported')
  expect(service.shown.error).toMatchObject({ error: 'request_uri_not_supported' })
})

it('mix-up: an object for another server is refused, and the answer names this one', async () => {
  const { service, client_id } = await openSigning()
  const other = await objectOf(service, client_id, { aud: 'https://honest.example' })
  expect(await refusal(service, queryOf(client_id, other))).toBe('request_object_audience')
  await arrive(service, queryOf(client_id, await objectOf(service, client_id)))
  expect(redirectOf(await decide(service)).iss).toBe(ISSUER)
})

it('mark: the mark of one object is worthless for another, and a forged one too', async () => {
  const { service, client_id } = await openSigning()
  const { query } = await arrive(service, queryOf(client_id, await objectOf(service, client_id)))
  const mark = query.slice(query.indexOf('&presented='))
  const old = await objectOf(service, client_id, { exp: 1_799_999_000 })
  for (const forged of [mark, '&presented=1800000000.x.y'])
    expect(await refusal(service, queryOf(client_id, old) + forged)).toBe('request_object_expired')
})

it('keys: the fetch of a jwks_uri that hangs or lies ends in a page, and its limits are those of assertions', async () => {
  const requests: string[] = []
  const keys: { published: object | Error } = { published: new Error('ETIMEDOUT') }
  const fetch = async (url: string, { signal }: { readonly signal: AbortSignal }) => {
    requests.push(url)
    expect(signal).toBeInstanceOf(AbortSignal)
    if (keys.published instanceof Error) throw keys.published
    const headers = { 'content-type': 'application/json' }
    return { status: 200, headers, body: JSON.stringify(keys.published) }
  }
  const features = [clientAssertion({ fetch }), pushedAuthorizationRequests(), requestObjects()]
  const service = openService({ features })
  const client_id = await added(service, { jwksUri: 'https://editor.dev/keys' })
  const object = await objectOf(service, client_id)
  await arrive(service, queryOf(client_id, object))
  expect(service.shown.error).toMatchObject({ status: 503, reason: 'client_keys_unreachable' })
  await arrive(service, queryOf(client_id, object))
  expect(requests, 'the address rests after a failure').toHaveLength(1)
  service.clock.now += 120
  keys.published = { keys: [KEY.jwk] }
  expect((await arrive(service, queryOf(client_id, object))).answer.body).toBe('consent')
  await authorize(service, queryOf('unknown', object))
  expect(requests, 'nothing is fetched for an unknown client').toHaveLength(2)
})
