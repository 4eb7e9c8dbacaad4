import type { TokenClaims } from '@grantkit/core'
import { decodeJwt } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { exchange, introspected, MCP, machineToken, openClaimsService, userinfoOf } from './claims-service.ts'
import { bodyOf, codeFor, redeem, refresh, type TokenAnswer, tokensFor } from './client.ts'

/** What `tokenClaims` cannot do: change a token, use up a credential, hold up a request, or fill a token. */

const ROLES: TokenClaims = () => ({ roles: ['editor'] })
const FAILS: TokenClaims = () => {
  throw new Error('The directory does not answer')
}

interface Mutable {
  readonly scopes: string[]
  readonly resources: string[]
  readonly client: { readonly redirectUris: string[] }
  readonly grant: object
}

/** Every name that says who may do what, or for how long. */
const FORGED = {
  ...{ iss: 'https://evil.example', sub: 'bob', aud: 'https://evil.example', exp: 9_999_999_999, iat: 1 },
  ...{ nbf: 9_999_999_999, jti: 'x', azp: 'evil', nonce: 'x', at_hash: 'x', acr: 'high', amr: ['mfa'] },
  ...{ auth_time: 1, sid: 'x', client_id: 'evil', scope: 'admin', cnf: { jkt: 'x' }, act: { sub: 'x' } },
  ...{ may_act: { sub: 'x' }, events: {}, authorization_details: [], active: false, token_type: 'DPoP' },
}

const FAR = { scope: 'openid courses:read', resource: MCP }

describe('a name of the protocol', () => {
  it('OC-01: a claim with a name of the protocol is left out of tokens, UserInfo and introspection, with one event for each use', async () => {
    const forged = Object.fromEntries([...Object.entries(FORGED), ['roles', ['editor']]])
    Object.defineProperty(forged, '__proto__', { value: { scope: 'admin' }, enumerable: true })
    const plain = await openClaimsService(ROLES)
    const expected = await everything(plain)
    const opened = await openClaimsService(() => forged)
    const seen = await everything(opened)
    for (const [index, claims] of seen.entries()) {
      expect(Object.keys(claims).sort()).toEqual(Object.keys(expected[index] ?? {}).sort())
      expect(claims).toMatchObject({ sub: 'alice', roles: ['editor'] })
      for (const [name, value] of Object.entries(FORGED)) expect(claims[name]).not.toEqual(value)
    }
    await everything(opened)
    const events = opened.service.events.filter(({ type }) => type === 'token_claims_protected')
    const names = [...Object.keys(FORGED), '__proto__'].sort()
    expect(events.map((event) => ({ ...event, names: [...Object(event).names].sort() }))).toEqual(
      ['access_token', 'id_token', 'userinfo', 'introspection'].map((use) => ({
        ...{ type: 'token_claims_protected', names, use, clientId: opened.client.clientId },
      })),
    )
  })

  it('OC-01: such a claim is an error on a server for development, and costs no code', async () => {
    const issuer = 'http://127.0.0.1:3000'
    const options = { issuer, resources: [issuer, MCP] }
    const { service, client, hook } = await openClaimsService(() => ({ scope: 'admin' }), options)
    const code = await codeFor(service, client.clientId, FAR)
    expect((await redeem(service, client, code)).status).toBe(500)
    expect(service.events).toContainEqual(
      expect.objectContaining({
        type: 'failed',
        cause: expect.objectContaining({ message: expect.stringContaining('scope') }),
      }),
    )
    hook.tokenClaims = ROLES
    expect((await redeem(service, client, code)).status).toBe(200)
  })
})

/** The claims of a JWT access token, an ID token, UserInfo and an introspection. */
async function everything({ service, client, reader }: Awaited<ReturnType<typeof openClaimsService>>) {
  const signed = await tokensFor(service, client, { ...FAR, nonce: 'n' })
  const opaque = await tokensFor(service, client, { scope: 'openid' })
  return [
    decodeJwt(signed.access_token),
    decodeJwt(signed.id_token),
    bodyOf(await userinfoOf(service, opaque)),
    await introspected(service, reader, opaque.access_token),
  ] as Record<string, unknown>[]
}

describe('the arguments', () => {
  it('OC-02: a function that changes its arguments changes neither the token nor the grant nor the client', async () => {
    const { service, client, reader } = await openClaimsService((request) => {
      const { scopes, resources, client, grant } = request as unknown as Mutable
      scopes.push('courses:write')
      resources.length = 0
      Object.assign(client, { resourceServer: true })
      client.redirectUris.length = 0
      Object.assign(grant, { authTime: 1 })
      return {}
    })
    const tokens = await tokensFor(service, client, FAR)
    expect(decodeJwt(tokens.access_token)).toMatchObject({ ...{ scope: FAR.scope, aud: MCP } })
    const again = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    expect(decodeJwt(again.access_token)).toMatchObject({ scope: FAR.scope, aud: MCP })
    expect(await introspected(service, reader, again.access_token)).toMatchObject({ scope: FAR.scope })
    expect((await redeem(service, client, await codeFor(service, client.clientId, FAR))).status).toBe(200)
  })
})

describe('a failure', () => {
  const UNAVAILABLE = { status: 503, error: 'temporarily_unavailable' }
  const answerOf = ({ status, body }: { status: number; body: string }) => ({
    ...{ status, error: JSON.parse(body).error },
  })

  it('OC-03: a failing function costs no code, no refresh token and no device code', async () => {
    const opened = await openClaimsService(ROLES)
    const { service, client, hook, start, approve, poll } = opened
    const { refresh_token, access_token } = await tokensFor(service, client, FAR)
    const code = await codeFor(service, client.clientId, FAR)
    const started = await start({ resource: MCP })
    await approve(started)
    const requests = {
      code: () => redeem(service, client, code),
      refresh: () => refresh(service, client, refresh_token),
      device: () => poll(started),
      exchange: () => exchange(service, client, access_token),
      machine: () => machineToken(service, client),
    }
    hook.tokenClaims = FAILS
    for (const [name, send] of Object.entries(requests))
      expect(answerOf(await send()), name).toEqual(UNAVAILABLE)
    hook.tokenClaims = ROLES
    for (const [name, send] of Object.entries(requests)) expect((await send()).status, name).toBe(200)
  })

  it('OC-03: a failing function writes nothing: the grant and its tokens are as before', async () => {
    const { service, client, hook } = await openClaimsService(ROLES)
    const { refresh_token } = await tokensFor(service, client, FAR)
    const [grant] = (await service.server.grants.list('alice')).grants
    const id = grant?.id as Parameters<typeof service.store.grants.find>[0]
    const before = await service.store.grants.find(id)
    hook.tokenClaims = FAILS
    await refresh(service, client, refresh_token)
    expect(await service.store.grants.find(id)).toEqual(before)
  })

  it('OC-04: a failing function is a 503 at UserInfo and at the introspection, with its cause for the operator alone', async () => {
    const { service, client, reader, hook } = await openClaimsService(ROLES)
    const tokens = await tokensFor(service, client, { scope: 'openid' })
    hook.tokenClaims = FAILS
    expect(answerOf(await userinfoOf(service, tokens))).toEqual(UNAVAILABLE)
    const answer = await introspected(service, reader, tokens.access_token)
    expect(answer).toMatchObject({ error: 'temporarily_unavailable' })
    expect(JSON.stringify(answer)).not.toContain('directory')
    expect(service.events).toContainEqual(
      expect.objectContaining({
        cause: expect.objectContaining({ message: 'The directory does not answer' }),
      }),
    )
  })
})

describe('the deadline', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('OC-05: a slow function gets two seconds, and its signal is aborted then', async () => {
    const { service, client, hook } = await openClaimsService(ROLES)
    const code = await codeFor(service, client.clientId, FAR)
    const signals: AbortSignal[] = []
    const both = Promise.withResolvers<void>()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    hook.tokenClaims = ({ signal }) => {
      if (signals.push(signal) === 2) both.resolve()
      return new Promise((_, reject) => setTimeout(() => reject(new Error('too late')), 60_000))
    }
    const answer = redeem(service, client, code)
    await both.promise
    await vi.advanceTimersByTimeAsync(1999)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    await vi.advanceTimersByTimeAsync(1)
    expect((await answer).status).toBe(503)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    // Its error comes when nobody waits for it, and hurts nobody.
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    hook.tokenClaims = ROLES
    expect((await redeem(service, client, code)).status).toBe(200)
  })

  it('leaves no timer behind when the function answers', async () => {
    const { service, client } = await openClaimsService(ROLES)
    const started = vi.spyOn(globalThis, 'setTimeout')
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    await tokensFor(service, client, FAR)
    const timers = started.mock.results.filter((_, index) => started.mock.calls[index]?.[1] === 2000)
    expect(timers).not.toEqual([])
    const ended = cleared.mock.calls.map(([timer]) => timer)
    for (const { value } of timers) expect(ended).toContain(value)
  })
})
