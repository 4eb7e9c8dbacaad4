import { type PrivateJwk, rotateSigningKeys } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, bodyOf, redirectOf, register, tokensFor } from './client.ts'
import { ISSUER, openSchool, type School } from './school.ts'
import { signingKey, TEST_KEYS } from './signing-keys.ts'

const HOUR = 3600
const OLD = 'test-ES256'
const NEW = 'new-ES256'
const FRESH = await signingKey('ES256', NEW)

/** Schools that share keys and store, each with its own clock. */
function openReplicas(count = 1) {
  const shared = { keys: TEST_KEYS as readonly PrivateJwk[] }
  const store = createMemoryStore({ now: () => 0 })
  const replicas = Array.from({ length: count }, () => openSchool({ store, keys: () => shared.keys }))
  const rotate = ({ clock }: School) => {
    shared.keys = rotateSigningKeys(shared.keys, [FRESH], clock.now, HOUR)
  }
  return { replicas, shared, rotate }
}

async function idTokenOf(school: School): Promise<string> {
  const client = await register(school, { id_token_signed_response_alg: 'ES256' })
  return (await tokensFor(school, client)).id_token
}

const signerOf = async (school: School) => decodeProtectedHeader(await idTokenOf(school)).kid

async function publishedBy(school: School): Promise<string[]> {
  const { keys } = bodyOf<{ keys: { kid: string; alg: string }[] }>(
    await school.send('GET', '/api/oauth/jwks'),
  )
  return keys.filter(({ alg }) => alg === 'ES256').map(({ kid }) => kid)
}

/** A client that caches the key set as its library does, and fetches it from a replica. */
function verifierAt(school: School) {
  const fetchKeys = async () => {
    const { status, headers, body } = await school.send('GET', '/api/oauth/jwks')
    return new Response(body, { status, headers: headers as Record<string, string> })
  }
  const keySet = createRemoteJWKSet(new URL(`${ISSUER}/api/oauth/jwks`), { [customFetch]: fetchKeys })
  return (token: string, now: number) =>
    jwtVerify(token, keySet, { issuer: ISSUER, currentDate: new Date(now * 1000) })
}

it('a client whose algorithm is no longer offered gets ID tokens with the default algorithm', async () => {
  const store = createMemoryStore({ now: () => 0 })
  const client = await register(openSchool({ store }), { id_token_signed_response_alg: 'RS256' })
  const keys = TEST_KEYS.filter(({ alg }) => alg !== 'RS256')
  const { id_token } = await tokensFor(openSchool({ store, keys, idTokenAlgorithm: 'ES256' }), client)
  expect(decodeProtectedHeader(id_token).alg).toBe('ES256')
})

describe('a server whose keys rotate', () => {
  it('publishes the new key at once, signs with it later, and keeps the old one while its tokens live', async () => {
    const { replicas, rotate } = openReplicas()
    const [school] = replicas as [School]
    const begin = school.clock.now
    rotate(school)
    expect([await signerOf(school), await publishedBy(school)]).toEqual([OLD, [NEW, OLD]])
    school.clock.now = begin + 20 * 60 - 1
    const lastOfOld = await idTokenOf(school)
    expect(decodeProtectedHeader(lastOfOld).kid).toBe(OLD)
    school.clock.now = begin + 20 * 60
    expect(await signerOf(school)).toBe(NEW)
    school.clock.now += HOUR - 2
    await expect(verifierAt(school)(lastOfOld, school.clock.now)).resolves.toMatchObject({
      payload: { sub: 'alice' },
    })
    school.clock.now += 5 * 60 + 2
    expect([await signerOf(school), await publishedBy(school)]).toEqual([NEW, [NEW]])
  })

  it('accepts a hint that a retired key has signed, as long as the operator keeps that key', async () => {
    const { replicas, shared, rotate } = openReplicas()
    const [school] = replicas as [School]
    const { clientId: client_id } = await register(school)
    const query = authorizationQuery(client_id, { id_token_hint: await idTokenOf(school) })
    rotate(school)
    school.clock.now += 24 * HOUR
    expect(await publishedBy(school)).toEqual([NEW])
    expect((await authorize(school, query)).body).toBe('consent')
    shared.keys = shared.keys.filter(({ kid }) => kid !== OLD)
    expect(redirectOf(await authorize(school, query)).error).toBe('login_required')
  })

  it('publishes neither the start time of a key nor private members', async () => {
    const { replicas, rotate } = openReplicas()
    const [school] = replicas as [School]
    rotate(school)
    const { body } = await school.send('GET', '/api/oauth/jwks')
    expect(body).not.toContain('signsFrom')
    expect(body).not.toContain(String(FRESH.d))
  })

  it('lets the key set be cached for a quarter of an hour, and revalidated', async () => {
    const { replicas, rotate } = openReplicas()
    const [school] = replicas as [School]
    const { headers } = await school.send('GET', '/api/oauth/jwks')
    expect(headers['cache-control']).toBe('public, max-age=900')
    const again = () =>
      school.send('GET', '/api/oauth/jwks', { headers: { 'if-none-match': String(headers.etag) } })
    expect((await again()).status).toBe(304)
    rotate(school)
    expect((await again()).status).toBe(200)
  })

  it('emits an event', async () => {
    const { replicas, rotate } = openReplicas()
    const [school] = replicas as [School]
    rotate(school)
    await publishedBy(school)
    await publishedBy(school)
    expect(school.events).toEqual([
      { type: 'signing_keys_changed', keyIds: [NEW, 'test-RS256', OLD, 'test-EdDSA'] },
    ])
  })
})

describe('two replicas with clocks two minutes apart', () => {
  it('accept the tokens of each other at every moment of a rotation', async () => {
    const { replicas, rotate } = openReplicas(2)
    const [slow, fast] = replicas as [School, School]
    const begin = slow.clock.now
    // Clients that cached the key set before the rotation, for as long as allowed.
    const earlier = { slow: verifierAt(slow), fast: verifierAt(fast) }
    for (const verify of Object.values(earlier)) await verify(await idTokenOf(slow), begin)
    rotate(slow)
    const signers = new Set<string>()
    for (let minute = 0; minute <= 100; minute += 1) {
      slow.clock.now = begin + minute * 60 - 60
      fast.clock.now = begin + minute * 60 + 60
      for (const school of [slow, fast]) {
        const token = await idTokenOf(school)
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
    const [school] = replicas as [School]
    shared.keys = broken(TEST_KEYS)
    expect([await signerOf(school), await publishedBy(school)]).toEqual([OLD, [OLD]])
    expect(school.events.filter(({ type }) => type === 'signing_keys_refused')).toEqual([
      {
        type: 'signing_keys_refused',
        cause: expect.objectContaining({ message: expect.stringMatching(/^keys/) }),
      },
    ])
    shared.keys = TEST_KEYS
    rotate(school)
    expect(await publishedBy(school), 'mended').toEqual([NEW, OLD])
  })
})
