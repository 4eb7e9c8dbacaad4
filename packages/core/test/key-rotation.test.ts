import { type PrivateJwk, rotateSigningKeys } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, bodyOf, redirectOf, register, tokensFor } from './client.ts'
import { ISSUER, openService, type Service } from './service.ts'
import { signingKey, TEST_KEYS } from './signing-keys.ts'

const HOUR = 3600
const OLD = 'test-ES256'
const NEW = 'new-ES256'
const FRESH = await signingKey('ES256', NEW)

/** Services that share keys and store, each with its own clock. */
function openReplicas(count = 1) {
  const shared = { keys: TEST_KEYS as readonly PrivateJwk[] }
  const store = createMemoryStore({ now: () => 0 })
  const replicas = Array.from({ length: count }, () => openService({ store, keys: () => shared.keys }))
  const rotate = ({ clock }: Service) => {
    shared.keys = rotateSigningKeys(shared.keys, [FRESH], clock.now, HOUR)
  }
  return { replicas, shared, rotate }
}

async function idTokenOf(service: Service): Promise<string> {
  const client = await register(service, { id_token_signed_response_alg: 'ES256' })
  return (await tokensFor(service, client)).id_token
}

const signerOf = async (service: Service) => decodeProtectedHeader(await idTokenOf(service)).kid

async function publishedBy(service: Service): Promise<string[]> {
  const { keys } = bodyOf<{ keys: { kid: string; alg: string }[] }>(
    await service.send('GET', '/api/oauth/jwks'),
  )
  return keys.filter(({ alg }) => alg === 'ES256').map(({ kid }) => kid)
}

/** A client that caches the key set as its library does, and fetches it from a replica. */
function verifierAt(service: Service) {
  const fetchKeys = async () => {
    const { status, headers, body } = await service.send('GET', '/api/oauth/jwks')
    return new Response(body, { status, headers: headers as Record<string, string> })
  }
  const keySet = createRemoteJWKSet(new URL(`${ISSUER}/api/oauth/jwks`), { [customFetch]: fetchKeys })
  return (token: string, now: number) =>
    jwtVerify(token, keySet, { issuer: ISSUER, currentDate: new Date(now * 1000) })
}

it('a client whose algorithm is no longer offered gets ID tokens with the default algorithm', async () => {
  const store = createMemoryStore({ now: () => 0 })
  const client = await register(openService({ store }), { id_token_signed_response_alg: 'RS256' })
  const keys = TEST_KEYS.filter(({ alg }) => alg !== 'RS256')
  const { id_token } = await tokensFor(openService({ store, keys, idTokenAlgorithm: 'ES256' }), client)
  expect(decodeProtectedHeader(id_token).alg).toBe('ES256')
})

describe('a server whose keys rotate', () => {
  it('JW-06: a rotation publishes the new key at once, signs with it later, and keeps the old one while its tokens live', async () => {
    const { replicas, rotate } = openReplicas()
    const [service] = replicas as [Service]
    const begin = service.clock.now
    rotate(service)
    expect([await signerOf(service), await publishedBy(service)]).toEqual([OLD, [NEW, OLD]])
    service.clock.now = begin + 20 * 60 - 1
    const lastOfOld = await idTokenOf(service)
    expect(decodeProtectedHeader(lastOfOld).kid).toBe(OLD)
    service.clock.now = begin + 20 * 60
    expect(await signerOf(service)).toBe(NEW)
    service.clock.now += HOUR - 2
    await expect(verifierAt(service)(lastOfOld, service.clock.now)).resolves.toMatchObject({
      payload: { sub: 'alice' },
    })
    service.clock.now += 5 * 60 + 2
    expect([await signerOf(service), await publishedBy(service)]).toEqual([NEW, [NEW]])
  })

  it('JW-06: a hint that a retired key has signed is accepted as long as the operator keeps that key', async () => {
    const { replicas, shared, rotate } = openReplicas()
    const [service] = replicas as [Service]
    const { clientId: client_id } = await register(service)
    const query = authorizationQuery(client_id, { id_token_hint: await idTokenOf(service) })
    rotate(service)
    service.clock.now += 24 * HOUR
    expect(await publishedBy(service)).toEqual([NEW])
    expect((await authorize(service, query)).body).toBe('consent')
    shared.keys = shared.keys.filter(({ kid }) => kid !== OLD)
    expect(redirectOf(await authorize(service, query)).error).toBe('login_required')
  })

  it('publishes neither the start time of a key nor private members', async () => {
    const { replicas, rotate } = openReplicas()
    const [service] = replicas as [Service]
    rotate(service)
    const { body } = await service.send('GET', '/api/oauth/jwks')
    expect(body).not.toContain('signsFrom')
    expect(body).not.toContain(String(FRESH.d))
  })

  it('lets the key set be cached for a quarter of an hour, and revalidated', async () => {
    const { replicas, rotate } = openReplicas()
    const [service] = replicas as [Service]
    const { headers } = await service.send('GET', '/api/oauth/jwks')
    expect(headers['cache-control']).toBe('public, max-age=900')
    const again = () =>
      service.send('GET', '/api/oauth/jwks', { headers: { 'if-none-match': String(headers.etag) } })
    expect((await again()).status).toBe(304)
    rotate(service)
    expect((await again()).status).toBe(200)
  })

  it('emits an event', async () => {
    const { replicas, rotate } = openReplicas()
    const [service] = replicas as [Service]
    rotate(service)
    await publishedBy(service)
    await publishedBy(service)
    expect(service.events).toEqual([
      { type: 'signing_keys_changed', keyIds: [NEW, 'test-RS256', OLD, 'test-EdDSA'] },
    ])
  })
})

describe('two replicas with clocks two minutes apart', () => {
  it('accept the tokens of each other at every moment of a rotation', async () => {
    const { replicas, rotate } = openReplicas(2)
    const [slow, fast] = replicas as [Service, Service]
    const begin = slow.clock.now
    // Clients that cached the key set before the rotation, for as long as allowed.
    const earlier = { slow: verifierAt(slow), fast: verifierAt(fast) }
    for (const verify of Object.values(earlier)) await verify(await idTokenOf(slow), begin)
    rotate(slow)
    const signers = new Set<string>()
    for (let minute = 0; minute <= 100; minute += 1) {
      slow.clock.now = begin + minute * 60 - 60
      fast.clock.now = begin + minute * 60 + 60
      for (const service of [slow, fast]) {
        const token = await idTokenOf(service)
        signers.add(`${decodeProtectedHeader(token).kid}`)
        for (const other of [slow, fast]) await verifierAt(other)(token, begin + minute * 60)
        if (minute < 15) for (const verify of Object.values(earlier)) await verify(token, begin + minute * 60)
      }
    }
    expect([...signers]).toEqual([OLD, NEW])
  })
})

describe('unusable keys', () => {
  it.each([
    ['a broken key', (keys: readonly PrivateJwk[]) => [{ ...FRESH, x: '!' }, ...keys]],
    ['a public key', (keys: readonly PrivateJwk[]) => [{ ...FRESH, d: '' }, ...keys]],
    ['one kid twice', (keys: readonly PrivateJwk[]) => [{ ...FRESH, kid: OLD }, ...keys]],
    ['a beginning that is no time', (keys: readonly PrivateJwk[]) => [{ ...FRESH, signsFrom: -1 }, ...keys]],
    ['none for an algorithm of the metadata', () => [FRESH]],
    ['none at all', () => []],
  ])('leave the earlier ones in place: %s', async (_, broken) => {
    const { replicas, shared, rotate } = openReplicas()
    const [service] = replicas as [Service]
    shared.keys = broken(TEST_KEYS)
    expect([await signerOf(service), await publishedBy(service)]).toEqual([OLD, [OLD]])
    expect(service.events.filter(({ type }) => type === 'signing_keys_refused')).toEqual([
      {
        type: 'signing_keys_refused',
        cause: expect.objectContaining({ message: expect.stringMatching(/^keys/) }),
      },
    ])
    shared.keys = TEST_KEYS
    rotate(service)
    expect(await publishedBy(service), 'mended').toEqual([NEW, OLD])
  })
})
