import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newSigningKeys } from '@grantkit/core'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { createLocalJWKSet, decodeProtectedHeader, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { App } from './app.ts'
import { Bench } from './bench.ts'
import { later, onTheService } from './on-the-service.ts'
import { expectInvalidToken, expectRedirect } from './safe-answers.ts'

/** ID tokens and keys. Access tokens are opaque, so the only JWT in a request is `id_token_hint`. */

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

onTheService('a JWT', (bench) => {
  const keySet = async () => (await bench.send('/api/oauth/jwks')).json() as { keys: JWK[] }
  const claims = async () => {
    const now = Math.floor(Date.now() / 1000)
    return { iss: bench.base, sub: 'bob-id', aud: 'x', iat: now, exp: now + 600 }
  }

  /** An accepted hint for bob sends alice to sign in; one that says nothing goes back to the client. */
  async function expectRefused(hint: string, about: string): Promise<void> {
    const app = await App.register(bench)
    expectRedirect(app, await app.authorize({ id_token_hint: hint }), 'login_required', about)
    expectInvalidToken(bench, await app.call(hint), about)
  }

  it('JW-01, REQ-50: a JWT without a signature is not accepted, in any spelling of none', async () => {
    const content = part(await claims())
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'RS256'])
      await expectRefused(`${part({ alg })}.${content}.`, alg)
    const { id_token } = await (await App.register(bench, {}, 'bob')).tokens()
    await expectRefused(`${id_token.split('.').slice(0, 2).join('.')}.`, 'its signature cut off')
  })

  it('JW-02: a JWT signed with a public key as a shared secret is not accepted', async () => {
    for (const key of (await keySet()).keys) {
      const shared = [JSON.stringify(key), String(key.n ?? key.x), part(key)]
      for (const secret of shared) {
        const header = { alg: 'HS256', kid: String(key.kid) }
        const padded = new TextEncoder().encode(secret.padEnd(64, '='))
        await expectRefused(await new SignJWT(await claims()).setProtectedHeader(header).sign(padded), secret)
      }
    }
  })

  it('JW-05: a JWT of another issuer, signed by another key or with an embedded key, is not accepted', async () => {
    const [foreignKey] = await newSigningKeys()
    if (foreignKey === undefined) throw new Error('no key')
    const { kid = '', alg = '' } = foreignKey
    const key = await importJWK(foreignKey as JWK, alg)
    const sign = async (header: object, more = {}) =>
      new SignJWT({ ...(await claims()), ...more }).setProtectedHeader({ alg, ...header }).sign(key)
    const { d: _, ...jwk } = foreignKey as JWK
    const published = (await keySet()).keys[0]?.kid ?? ''
    await expectRefused(await sign({ kid }), 'an unknown key')
    await expectRefused(await sign({ kid: published }), 'a known kid')
    await expectRefused(await sign({ jwk, kid }), 'its own key')
    await expectRefused(await sign({ kid, jku: `${bench.base}/x` }), 'an address of a key')
    await expectRefused('a.b.c', 'no JWT')
    await expectRefused(`${part({ alg: 'RS256' })}.${'x'.repeat(2000)}.x`, 'garbage')
  })

  it('JW-05: an expired hint still names the user', async () => {
    const [app, other] = [await App.register(bench), await App.register(bench, {}, 'bob')]
    const { id_token } = await other.tokens()
    await bench.session('alice')
    later(4000)
    expect((await app.authorize({ id_token_hint: id_token })).header('location')).toMatch(/^\/login/)
  })

  it('JW-07, REQ-07: the key set has only public keys, each with its own kid', async () => {
    const { keys } = await keySet()
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length)
    for (const key of keys) {
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'])
        expect(key).not.toHaveProperty(secret)
      expect([key.use, typeof key.alg, typeof key.kid]).toEqual(['sig', 'string', 'string'])
    }
  })

  it('D14, REQ-50: an ID token is signed with the algorithm of its client, and has the required claims', async () => {
    const keys = createLocalJWKSet((await keySet()) as { keys: JWK[] })
    for (const alg of ['RS256', 'ES256', 'EdDSA']) {
      const app = await App.register(bench, alg === 'RS256' ? {} : { id_token_signed_response_alg: alg })
      const { id_token, access_token } = await app.tokens({ nonce: 'n-0S6', scope: 'openid profile email' })
      expect(decodeProtectedHeader(id_token)).toMatchObject({ alg, typ: 'JWT', kid: expect.any(String) })
      const { payload } = await jwtVerify(id_token, keys, { issuer: bench.base, audience: app.id })
      const hash = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
        .update(access_token)
        .digest()
      expect(payload).toEqual({
        iss: bench.base,
        sub: 'alice-id',
        aud: app.id,
        azp: app.id,
        nonce: 'n-0S6',
        iat: expect.any(Number),
        exp: Number(payload.iat) + 3600,
        auth_time: expect.any(Number),
        at_hash: hash.subarray(0, hash.length / 2).toString('base64url'),
      })
    }
  })
})

it('JW-06, REQ-07: after a rotation the old key is published as long as its tokens live; a removed key is not accepted', async () => {
  const KEYS_FILE = join(await temporaryFolder(), 'keys.json')
  const fileOf = (keys: readonly object[]) => JSON.stringify({ keys })
  const old = await newSigningKeys()
  await writeFile(KEYS_FILE, fileOf(old), { mode: 0o600 })
  const bench = new Bench()
  await bench.start({ KEYS_FILE })
  const { id_token } = await (await App.register(bench, {}, 'bob')).tokens()
  await bench.stop()

  const hinted = async (keys: string) => {
    const file = join(await temporaryFolder(), 'keys.json')
    await writeFile(file, keys, { mode: 0o600 })
    const after = new Bench()
    await after.start({ KEYS_FILE: file, PORT: new URL(bench.base).port })
    const app = await App.register(after)
    const answer = await app.authorize({ id_token_hint: id_token })
    await after.stop()
    return [answer.status, answer.redirected().get('error')]
  }
  const renewed = await newSigningKeys()
  expect(await readFile(KEYS_FILE, 'utf8')).toContain(String(old[0]?.kid))
  expect(await hinted(fileOf([...renewed, ...old])), 'believed: bob has to sign in').toEqual([303, null])
  expect(await hinted(fileOf(renewed)), 'not believed').toEqual([303, 'login_required'])
})
