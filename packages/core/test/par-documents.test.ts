import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { admitHosts, clientDocuments } from '@grantkit/core/client-documents'
import { type DeviceInteraction, device } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { fapi2 } from '@grantkit/core/fapi2'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { describe, expect, it } from 'vitest'
import { ALICE, authorizationQuery, authorize, bodyOf, decide, redeem, redirectOf } from './client.ts'
import { DOCUMENT, ID, openWithDocuments } from './document-host.ts'
import { provingKey } from './dpop-key.ts'
import { ISSUER, openService, PAGE, type Service } from './service.ts'
import { assertionForm, assertionOf, newKey } from './signed-assertions.ts'

/** Clients whose documents were not fetched yet, at endpoints without a user: no request causes a fetch. */

const key = await newKey()
const KEYS_ONLY = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } }
const KEYS_OR_NONE = { ...KEYS_ONLY, token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] }

function open({ required = true, document = {} } = {}) {
  const features = [pushedAuthorizationRequests({ required }), clientAssertion(), dpop()]
  const { service, host } = openWithDocuments({ features })
  host.answer = { document: { ...DOCUMENT, ...document } }
  return { service, host }
}

function push(service: Service, more: Record<string, string> = {}, headers = {}) {
  const form = { ...Object.fromEntries(new URLSearchParams(authorizationQuery(ID))), ...more }
  return service.send('POST', '/api/oauth/par', { form, headers })
}

/** The response to the browser with the pushed request. */
async function arrive(service: Service, pushed: Awaited<ReturnType<typeof push>>, headers: object = ALICE) {
  expect(pushed.status, pushed.body).toBe(201)
  const { request_uri } = bodyOf<{ request_uri: string }>(pushed)
  const first = await authorize(service, String(new URLSearchParams({ client_id: ID, request_uri })))
  const [, marked = ''] = String(first.headers.location).split('?')
  return authorize(service, marked, headers as typeof ALICE)
}

describe('a pushed request of a client whose document is not fetched yet', () => {
  it('is validated after the sign-in, and not before: the push fetches nothing', async () => {
    const { service, host } = open()
    const pushed = await push(service)
    await arrive(service, pushed, {})
    expect(host.requests).toEqual([])
    expect(service.shown.signInHint).toEqual({ ...PAGE, clientHost: 'editor.dev' })
    const [, back = ''] = String(service.shown.signIn).split('?')
    expect(await authorize(service, back)).toMatchObject({ status: 200, body: 'consent' })
    const { code = '' } = redirectOf(await decide(service))
    expect((await redeem(service, { clientId: ID }, code)).status).toBe(200)
    expect(host.requests).toHaveLength(1)
  })

  it.each([
    ['redirect_uri', { redirect_uri: 'http://127.0.0.1:7001/other' }, 'redirect_uri_not_registered'],
    ['document', { redirect_uri: 'https://editor.dev/callback' }, 'redirect_uri_not_accepted'],
  ])('is a page when its %s turns out to be wrong', async (_, changed, reason) => {
    const { service } = open()
    expect((await arrive(service, await push(service, changed))).status).toBe(400)
    expect(service.shown.error?.reason).toBe(reason)
  })

  it('is rejected at once if it is malformed', async () => {
    const { service } = open()
    const answer = await push(service, { max_age: 'soon' })
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_request'])
  })

  it('binds its code to the key that the push proves', async () => {
    const { service } = open()
    const proving = provingKey()
    const proof = (path: string) => ({
      dpop: proving.proof({ jti: path, htm: 'POST', htu: ISSUER + path, iat: service.clock.now }),
    })
    await arrive(service, await push(service, {}, proof('/api/oauth/par')))
    const { code = '' } = redirectOf(await decide(service))
    expect((await redeem(service, { clientId: ID }, code)).status, 'without a proof').toBe(400)
  })

  it.each([
    ['may be public, though it signs', KEYS_OR_NONE, true, undefined],
    ['must sign, where pushing is voluntary', KEYS_ONLY, false, undefined],
    ['must sign, where every request must be pushed', KEYS_ONLY, true, 'pushed_without_proof'],
  ])('of a client that %s', async (_, document, required, reason) => {
    const { service } = open({ required, document })
    const answer = await arrive(
      service,
      await push(service, assertionForm(await assertionOf(service, key, ID))),
    )
    expect(answer.status).toBe(reason === undefined ? 200 : 303)
    const refused = service.events.filter(({ type }) => type === 'refused')
    expect(refused).toEqual(reason === undefined ? [] : [expect.objectContaining({ reason })])
  })

  it('cannot be used on a server without public clients, so such a server is not created', () => {
    const fetch = async () => expect.fail('Nothing may be fetched')
    const [pinned] = [clientDocuments({ pinned: [{ ...DOCUMENT, ...KEYS_ONLY }] })]
    const features = [clientDocuments({ fetch })]
    const options = { keys: openService().keys.filter(({ alg }) => alg === 'ES256'), profile: fapi2() }
    expect(() => openService({ ...options, features })).toThrow(
      /clientDocuments.*pushedAuthorizationRequests/,
    )
    expect(() => openService({ ...options, features: [pinned] })).not.toThrow()
  })
})

describe('an endpoint without a user', () => {
  it.each([
    ['token', { grant_type: 'authorization_code', code: 'x' }],
    ['token', { grant_type: 'client_credentials' }],
    ['revoke', { token: 'x' }],
    ['introspect', { token: 'x' }],
    ['device_authorization', { scope: 'courses:read' }],
  ])('%s sends a client whose document is not known to the authorization endpoint', async (path, form) => {
    const features = [device({} as DeviceInteraction), clientCredentials()]
    const { service, host } = openWithDocuments({ features })
    expect(await errorOf(service, path, form)).toEqual([401, 'client_not_approved'])
    expect(host.requests).toEqual([])
  })

  it('rejects a client whose document is not admitted', async () => {
    const { service } = openWithDocuments({ admit: admitHosts(['other.dev']) })
    expect(await errorOf(service, 'token', { grant_type: 'refresh_token' })).toEqual([401, 'client_unknown'])
  })
})

async function errorOf(service: Service, path: string, form: Record<string, string>) {
  const { status } = await service.send('POST', `/api/oauth/${path}`, { form: { client_id: ID, ...form } })
  const last = service.events.findLast(({ type }) => type === 'refused')
  return [status, last?.type === 'refused' && last.reason]
}
