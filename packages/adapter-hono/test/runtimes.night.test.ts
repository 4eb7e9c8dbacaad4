import { testClient } from '@grantkit/testkit/client'
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesFor, publishedPackages, rows } from './runtimes/claims.ts'
import { describeFeatures } from './runtimes/describe-features.ts'
import { load, RUNTIMES, type Running, run } from './runtimes/run.ts'
import { send } from './runtimes/wire.ts'

const LIMIT = 64 * 1024

async function signingKeys(): Promise<string> {
  const keys = (['RS256', 'ES256', 'EdDSA'] as const).map(async (alg) => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true })
    return { ...(await exportJWK(privateKey)), alg, kid: alg }
  })
  return JSON.stringify(await Promise.all(keys))
}

const KEYS = await signingKeys()
const SETTINGS = RUNTIMES.flatMap((runtime) => [
  { runtime, MOUNT: 'hono', FEATURES: true },
  // They are the same routes.
  { runtime, MOUNT: 'fetch', FEATURES: false },
])

describe.each(SETTINGS)('$runtime, mounted with $MOUNT', ({ runtime, MOUNT, FEATURES }) => {
  let service: Running
  beforeAll(async () => {
    service = await run(runtime, { KEYS, MOUNT })
  }, 30_000)
  afterAll(() => service?.close())

  if (FEATURES) describeFeatures(() => service.url)

  const notes = async (token: string) => {
    const response = await fetch(`${service.url}/notes`, { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, ...((await response.json()) as { kind?: string; error?: string }) }
  }

  const confidential = { metadata: { token_endpoint_auth_method: 'client_secret_post' } }

  it('serves a client from its registration until its token is revoked', async () => {
    const app = await testClient(service.url, confidential)
    const tokens = await app.tokens('openid notes:read')
    expect(await notes(tokens.access_token)).toMatchObject({ status: 200, kind: 'authorized' })
    const { access_token = '', refresh_token = '' } = await app.refresh(tokens.refresh_token)
    expect(await app.refresh(tokens.refresh_token), 'whose answer was lost').toMatchObject({
      access_token,
      refresh_token,
    })
    expect(await notes(access_token)).toMatchObject({ status: 200, kind: 'authorized' })
    expect(await app.introspect(refresh_token)).toMatchObject({ active: true })
    expect((await app.revoke(refresh_token)).response).toMatchObject({ status: 200, body: '{}' })
    expect(await notes(access_token)).toMatchObject({ status: 401, error: 'invalid_token' })
    expect(await app.introspect(refresh_token)).toMatchObject({ active: false })
  })

  it('signs ID tokens that its published keys verify', async () => {
    const { url } = service
    const app = await testClient(url, confidential)
    const { id_token = '' } = await app.tokens('openid')
    const keys = createRemoteJWKSet(new URL(`${url}/api/oauth/jwks`))
    const { payload } = await jwtVerify(id_token, keys, { issuer: url, audience: app.clientId })
    expect(payload.sub).toBe('alice')
  })

  it('guards: no token, an invalid token, and a token without the scope', async () => {
    const { access_token } = await (await testClient(service.url, confidential)).tokens('openid')
    expect(await (await fetch(`${service.url}/notes`)).json()).toEqual({ kind: 'anonymous' })
    expect(await notes('bad')).toMatchObject({ status: 401, error: 'invalid_token' })
    expect(await notes(access_token)).toMatchObject({ status: 403, error: 'insufficient_scope' })
  })

  it('reads path, query, headers and body unchanged', async () => {
    const path = '/echo/%7Ea%2Fb%E2%82%AC?scope=a+b%20c&scope=%2F%2f&a[]=1&next=/x?y=1?z=2&empty='
    const headers = { 'X-Many': ['one', 'two'], AUTHORIZATION: 'Bearer  Two.Spaces==' }
    const { body } = await send(service.url, path, { method: 'POST', headers, body: ['a=1&', 'b=€'] })
    expect(JSON.parse(body)).toMatchObject({
      method: 'POST',
      path: '/echo/%7Ea%2Fb%E2%82%AC',
      query: 'scope=a+b%20c&scope=%2F%2f&a[]=1&next=/x?y=1?z=2&empty=',
      headers: { 'x-many': 'one, two', authorization: 'Bearer  Two.Spaces==' },
      body: 'a=1&b=€',
    })
  })

  it('parses the address as its runtime does', async () => {
    const { body } = await send(service.url, "/echo/1?it's=%20")
    const parsed = runtime === 'Node' || runtime === 'Bun'
    expect(JSON.parse(body).query).toBe(parsed ? 'it%27s=%20' : "it's=%20")
    expect((await send(service.url, '/echo/x/../1')).status, 'dot segments').toBe(parsed ? 200 : 404)
  })

  it('answers cookies a line each, and HEAD without a body', async () => {
    expect((await send(service.url, '/echo/1')).headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2; Path=/'])
    const head = await send(service.url, '/echo/1', { method: 'HEAD' })
    expect([head.status, head.headers['content-type'], head.body]).toEqual([200, 'application/json', ''])
  })

  it('reads at most 64 KiB, announced or not', async () => {
    const post = (body: string[], headers = {}) =>
      send(service.url, '/echo/1', { method: 'POST', headers, body })
    expect(JSON.parse((await post(['x'.repeat(LIMIT)])).body).body).toHaveLength(LIMIT)
    const announced = { 'content-length': `${LIMIT + 1}` }
    for (const headers of [{}, announced]) {
      const response = await post(['x'.repeat(LIMIT), 'y'], headers)
      expect([response.status, JSON.parse(response.body).error]).toEqual([413, 'invalid_request'])
    }
  })

  it('refuses a body that was read before, at once', async () => {
    const headers = { 'x-read-before': 'yes' }
    const { status, body } = await send(service.url, '/echo/1', { method: 'POST', headers, body: ['a', 'b'] })
    expect([status, body]).toEqual([500, expect.stringContaining('The application read the body')])
    expect((await send(service.url, '/echo/1', { headers })).status, 'without a body').toBe(200)
  })

  it('keeps a fault to itself and knows no other paths', async () => {
    const fault = await send(service.url, '/fails')
    expect([fault.status, JSON.parse(fault.body).error]).toEqual([500, 'server_error'])
    expect(fault.body).not.toContain('internal detail')
    for (const path of ['/', '/echo', '/echo/', '/echo/1/2', '/oauth/authorize/'])
      expect((await send(service.url, path)).status, path).toBe(404)
  })
})

describe('the table of docs/reference/runtimes.md', () => {
  it('has every package', () => {
    expect(
      rows()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(publishedPackages().toSorted())
  })

  it.each(RUNTIMES)(
    'names packages for %s that load there, and do nothing else meanwhile',
    async (runtime) => {
      const files = filesFor(runtime)
      expect(await load(runtime, files)).toEqual({ loaded: files.length, effects: [] })
    },
  )
})
