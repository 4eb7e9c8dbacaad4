import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { outcome, sent } from './party.ts'
import { pass, suite, VARIANTS } from './suite.ts'

/** Requests that are not as the profile wants them, at the push and in the browser. */

const running = suite()
/** A page, and no redirect, because the redirect URI is not known. */
const asJson = { headers: { accept: 'application/json' } }

describe.each(VARIANTS)('$openid: the push', ({ scope }) => {
  it.each([
    ['ensure-request-object-without-redirect-uri-fails', { redirect_uri: undefined }, 'invalid_request'],
    ['ensure-redirect-uri-in-authorization-request', { redirect_uri: undefined }, 'invalid_request'],
    [
      'plain-fapi-tolerate-unregistered-redirect-uri',
      { redirect_uri: 'https://suite.example/callback/other' },
      'invalid_request',
    ],
    [
      'ensure-response-type-code-idtoken-fails',
      { response_type: 'code id_token' },
      'unsupported_response_type',
    ],
    ['ensure-response-type-token-fails', { response_type: 'token' }, 'unsupported_response_type'],
    [
      'par-ensure-pkce-required',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    ['par-plain-pkce-rejected', { code_challenge_method: 'plain' }, 'invalid_request'],
    [
      'par-authorization-request-containing-request_uri-form-param',
      { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
      'invalid_request',
    ],
  ])('%s', async (_, overrides, error) => {
    expect(outcome(await running.one.push({ scope, ...overrides }))).toEqual([400, error])
  })

  it('par-attempt-invalid-http-method: only POST is allowed', async () => {
    const body = new URLSearchParams({ ...(running.one.request() as object) })
    const answer = await sent(`${running.service.baseUrl}/api/oauth/par`, { method: 'PUT', body })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, expect.stringContaining('POST')])
  })
})

describe.each(VARIANTS)('$openid: the browser', ({ scope }) => {
  it('ensure-unsigned-authorization-request-without-using-par-fails', async () => {
    const { one, service } = running
    const query = new URLSearchParams({ ...(one.request({ scope }) as object) })
    const { status, headers } = await sent(`${service.baseUrl}/oauth/authorize?${query}`, {})
    expect(status).toBe(303)
    expect(Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)).toMatchObject({
      error: 'invalid_request',
      state: 'a state',
      iss: service.baseUrl,
    })
  })

  it.each([
    ['ensure-different-state-inside-and-outside-request-object', 'a state'],
    ['state-only-outside-request-object-not-used', undefined],
  ])('%s: only the pushed parameters are used', async (_, state) => {
    const { one } = running
    const { request_uri } = (await one.push({ scope, state })).body
    const back = await one.browser(one.address(request_uri, { state: 'outside' }))
    expect(back.searchParams.get('state') ?? undefined).toBe(state)
    expect((await one.redeem(back.searchParams.get('code') ?? '')).status).toBe(200)
  })

  it('par-ensure-reused-request-uri-prior-to-auth-completion-succeeds: a visit without a sign-in consumes nothing', async () => {
    const { one } = running
    const { request_uri } = (await one.push({ scope })).body
    const visit = await fetch(one.address(request_uri))
    expect([visit.status, visit.url]).toEqual([200, expect.stringContaining('/login')])
    const back = await one.browser(one.address(request_uri))
    expect((await one.redeem(back.searchParams.get('code') ?? '')).status).toBe(200)
  })

  it('par-attempt-reuse-request_uri: an answered one is invalid', async () => {
    const { one } = running
    const { request_uri } = (await one.push({ scope })).body
    await one.browser(one.address(request_uri))
    expect(outcome(await sent(one.address(request_uri), asJson))).toEqual([400, 'invalid_request_uri'])
  })

  it('par-attempt-to-use-expired-request_uri: it expires after expires_in', async () => {
    const { one } = running
    const { request_uri, expires_in } = (await one.push({ scope })).body
    pass(Number(expires_in))
    expect(outcome(await sent(one.address(request_uri), asJson))).toEqual([400, 'invalid_request_uri'])
  })

  it('par-attempt-to-use-request_uri-for-different-client: only the client that pushed may use it', async () => {
    const { one, two } = running
    const { request_uri } = (await one.push({ scope })).body
    expect(outcome(await sent(two.address(request_uri), asJson))).toEqual([400, 'invalid_request_uri'])
  })
})

it('ensure-different-nonce-inside-and-outside-request-object: only the pushed parameters are used', async () => {
  const { one } = running
  const { request_uri } = (await one.push()).body
  const back = await one.browser(one.address(request_uri, { nonce: 'outside' }))
  const { id_token = '' } = (await one.redeem(back.searchParams.get('code') ?? '')).body
  expect(decodeJwt(id_token).nonce).toBe('a nonce')
})
