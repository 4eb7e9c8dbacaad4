import type { HttpResponse } from '@grantkit/core'
import { type DpopOptions, dpop } from '@grantkit/core/dpop'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { describe, expect, it } from 'vitest'
import { bodyOf, type TokenAnswer } from './client.ts'
import { hashOf, provingKey } from './dpop-key.ts'
import { KEY, open, proven, redemptionOf, token } from './dpop-service.ts'
import { ISSUER, openService, type Service } from './service.ts'

/** DPoP-bound tokens at a gateway: the proof is for the original request, not for the verification request. */

const VERIFY = '/api/oauth/verify'
/** The URL of the gateway for callers. */
const NOTES = 'https://notes.example'

/** The headers of the gateway about the original request. */
const POSTED = { 'x-forwarded-method': 'POST', 'x-forwarded-uri': '/notes?page=2' }

async function behindGateway(options: DpopOptions = {}) {
  const issuing = open()
  const { form, client } = await redemptionOf(issuing)
  const answer = await token(issuing, form, proven(issuing, '/api/oauth/token'))
  const { access_token } = bodyOf<TokenAnswer>(answer)
  const { store, clock } = issuing
  const features = [dpop(options), forwardAuth({ origin: NOTES })]
  const gateway = openService({ store, now: () => clock.now, features })
  const service = { ...gateway, clock }
  return { service, client, accessToken: access_token }
}

interface Requested {
  readonly claims?: object
  readonly key?: ReturnType<typeof provingKey>
  readonly scheme?: string
  readonly forwarded?: Record<string, string | string[]>
}

function ask(
  service: Service,
  accessToken: string,
  { claims, key = KEY, scheme, forwarded }: Requested = {},
) {
  const usual = { htm: 'POST', htu: `${NOTES}/notes`, ath: hashOf(accessToken), ...claims }
  const authorization = `${scheme ?? 'DPoP'} ${accessToken}`
  const headers = { authorization, ...proven(service, '', usual, key), ...(forwarded ?? POSTED) }
  return service.send('GET', VERIFY, { query: 'scope=courses:read', headers })
}

const saidOf = ({ status, headers }: HttpResponse) => [status, headers['x-auth-subject']]

describe('a bound token at a gateway', () => {
  it('passes with a proof for the original request', async () => {
    const { service, client, accessToken } = await behindGateway()
    const answer = await ask(service, accessToken)
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'x-auth-subject': 'alice', 'x-auth-client': client.clientId },
    })
  })

  it.each<[string, Requested]>([
    ['as Bearer', { scheme: 'Bearer' }],
    ['by another key', { key: provingKey() }],
    ['for another token', { claims: { ath: hashOf('x') } }],
    ['for another method', { claims: { htm: 'GET' } }],
    ['for another path', { claims: { htu: `${NOTES}/notes/1` } }],
    ['for another host', { claims: { htu: `${ISSUER}/notes` } }],
    ['for the question itself', { claims: { htm: 'GET', htu: `${ISSUER}${VERIFY}` } }],
    ['for the question at the gateway', { claims: { htm: 'GET', htu: `${NOTES}${VERIFY}` } }],
  ])('DP-02: does not pass %s', async (_, requested) => {
    const { service, accessToken } = await behindGateway()
    expect(saidOf(await ask(service, accessToken, requested))).toEqual([401, undefined])
  })

  it.each<[string, string, object]>([
    ['X-Forwarded-Host', `https://evil.example/notes`, { 'x-forwarded-host': 'evil.example' }],
    ['Host', `https://evil.example/notes`, { host: 'evil.example' }],
    ['X-Forwarded-Proto', `http://notes.example/notes`, { 'x-forwarded-proto': 'http' }],
    ['X-Forwarded-Port', `${NOTES}:8443/notes`, { 'x-forwarded-port': '8443' }],
    ['Forwarded', `https://evil.example/notes`, { forwarded: 'host=evil.example;proto=https' }],
    ['a path like a host', `https://evil.example/notes`, { 'x-forwarded-uri': '//evil.example/notes' }],
    ['a path with a user', `https://evil.example/notes`, { 'x-forwarded-uri': '/@evil.example/notes' }],
  ])('is for the configured origin, whatever the value of %s', async (_, htu, said) => {
    const { service, accessToken } = await behindGateway()
    const requested = { claims: { htu }, forwarded: { ...POSTED, ...said } }
    expect(saidOf(await ask(service, accessToken, requested))).toEqual([401, undefined])
  })

  it.each<[string, Record<string, string | string[]>]>([
    ['neither method nor URI', {}],
    ['no method', { 'x-forwarded-uri': '/notes' }],
    ['no URI', { 'x-forwarded-method': 'POST' }],
    ['two methods', { ...POSTED, 'x-forwarded-method': ['POST', 'GET'] }],
    ['two URIs', { ...POSTED, 'x-forwarded-uri': ['/notes', '/other'] }],
    ['a whole URI', { ...POSTED, 'x-forwarded-uri': `${NOTES}/notes` }],
    ['no path', { ...POSTED, 'x-forwarded-uri': '*' }],
    ['a space', { ...POSTED, 'x-forwarded-uri': '/notes HTTP/1.1' }],
    ['a backslash', { ...POSTED, 'x-forwarded-uri': '/\\notes' }],
    ['a fragment', { ...POSTED, 'x-forwarded-uri': '/notes#x' }],
  ])('is rejected if the gateway names %s, and this is logged', async (_, forwarded) => {
    const { service, accessToken } = await behindGateway()
    expect(saidOf(await ask(service, accessToken, { forwarded }))).toEqual([401, undefined])
    expect(service.events.at(-1)).toMatchObject({ reason: 'gateway_names_no_request', path: VERIFY })
  })

  it('gets a nonce if one is required, and a newer one with the response', async () => {
    const { service, accessToken } = await behindGateway({ nonce: 'required' })
    const requested = await ask(service, accessToken)
    const nonce = requested.headers['dpop-nonce']
    expect([requested.status, requested.headers['www-authenticate']]).toEqual([
      401,
      expect.stringMatching(/^DPoP error="use_dpop_nonce"/),
    ])
    service.clock.now += 60
    const answer = await ask(service, accessToken, { claims: { nonce } })
    expect([answer.status, answer.headers['dpop-nonce']]).toEqual([
      200,
      expect.not.stringMatching(`${nonce}`),
    ])
  })

  it('passes once with a single-use proof', async () => {
    const { service, accessToken } = await behindGateway({ replay: 'strict' })
    const statuses = []
    for (const jti of ['one', 'one', 'two'])
      statuses.push((await ask(service, accessToken, { claims: { jti } })).status)
    expect(statuses).toEqual([200, 401, 200])
  })

  it('does not pass if the gateway has no DPoP', async () => {
    const service = open({}, { features: [dpop(), forwardAuth()] })
    const { form } = await redemptionOf(service)
    const answer = await token(service, form, proven(service, '/api/oauth/token'))
    const { access_token } = bodyOf<TokenAnswer>(answer)
    expect((await ask(service, access_token)).status).toBe(401)
  })
})

it('DP-06: an unbound token passes as before, and not as a bound one', async () => {
  const { service } = await behindGateway()
  const { form } = await redemptionOf(service)
  const { access_token } = bodyOf<TokenAnswer>(await token(service, form))
  expect((await ask(service, access_token, { scheme: 'Bearer', forwarded: {} })).status).toBe(200)
  expect((await ask(service, access_token)).status).toBe(401)
})

describe('the gateway of a resource that accepts only sender-constrained tokens', () => {
  const resources = [{ resource: ISSUER, dpop: 'required' as const }]
  const features = [dpop()]

  it('rejects earlier bearer tokens', async () => {
    const before = open()
    const { form } = await redemptionOf(before)
    const { access_token } = bodyOf<TokenAnswer>(await token(before, form))
    const { store, clock } = before
    const gateway = [...features, forwardAuth({ origin: NOTES })]
    const service = openService({ store, now: () => clock.now, resources, features: gateway })
    expect((await ask(service, access_token, { scheme: 'Bearer' })).status).toBe(401)
  })

  it('does not start without the origin of the gateway', () => {
    expect(() => openService({ resources, features: [...features, forwardAuth()] })).toThrow(
      'forwardAuth: resource accepts only sender-constrained tokens, so the option origin is required',
    )
  })
})
