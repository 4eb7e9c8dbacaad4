import { describe, expect, it } from 'vitest'
import { App, type Tokens, tokensOf } from './app.ts'
import { hashOf, Key, proofLine } from './dpop-key.ts'
import { later, onTheService } from './on-both-stores.ts'
import { expectError } from './safe-answers.ts'
import type { Answer, HeaderLines } from './wire.ts'

/** DPoP-bound tokens in the hands of a caller without the key. */

onTheService(
  'bound tokens',
  (bench) => {
    const key = new Key()
    const thief = new Key()
    const atToken = (by: Key, more: object = {}) =>
      proofLine(by.proof('POST', `${bench.base}/api/oauth/token`, more))

    async function bound(app: App): Promise<Tokens> {
      return tokensOf(await app.token(app.redemption(await app.code()), [atToken(key)]))
    }

    function refresh(app: App, refresh_token: string, headers: HeaderLines): Promise<Answer> {
      return app.token({ grant_type: 'refresh_token', ...app.credentials, refresh_token }, headers)
    }

    /** A call of the API with a token as DPoP. */
    function call(token: string, proof: string, path = '/api/courses', more: HeaderLines = []) {
      return bench.send(path, { headers: [['Authorization', `DPoP ${token}`], proofLine(proof), ...more] })
    }

    const proofFor = (by: Key, token: string, path = '/api/courses', more: object = {}) =>
      by.proof('GET', bench.base + path, { ath: hashOf(token), ...more })

    function expectRefused(answer: Answer, error: string, scheme = 'DPoP'): void {
      expect([answer.status, answer.json().error]).toEqual([401, error])
      expect(answer.header('www-authenticate')).toMatch(new RegExp(`^${scheme} error="${error}"`))
    }

    describe('at the API', () => {
      it('DP-01: a token is accepted only with a proof of its key', async () => {
        const app = await App.register(bench)
        const { access_token } = await bound(app)
        expect((await call(access_token, proofFor(key, access_token))).status).toBe(200)
        expectRefused(await call(access_token, proofFor(thief, access_token)), 'invalid_token')
        expectRefused(await app.call(access_token), 'invalid_token', 'Bearer')
        expectRefused(await app.call(access_token, '/api/oauth/userinfo'), 'invalid_token', 'Bearer')
        const headers = [['Authorization', `DPoP ${access_token}`]] as const
        expectRefused(await bench.send('/api/courses', { headers }), 'invalid_dpop_proof')
      })

      it('DP-02: a proof is valid for its request only', async () => {
        const app = await App.register(bench)
        const { access_token } = await bound(app)
        const other = await bound(app)
        const wrong = [
          proofFor(key, access_token, '/api/students'),
          key.proof('POST', `${bench.base}/api/courses`, { ath: hashOf(access_token) }),
          proofFor(key, other.access_token),
          key.proof('GET', `${bench.base}/api/courses`),
          proofFor(key, access_token, '/api/courses/'),
        ]
        for (const proof of wrong) expectRefused(await call(access_token, proof), 'invalid_dpop_proof')
        const withQuery = await call(access_token, proofFor(key, access_token), '/api/courses?limit=1')
        expect(withQuery.status).toBe(200)
      })

      it('DP-03: htu is compared with the configured URL, whatever the Host of the request', async () => {
        const app = await App.register(bench)
        const { access_token } = await bound(app)
        const elsewhere = key.proof('GET', 'http://evil.example/api/courses', { ath: hashOf(access_token) })
        for (const name of ['Host', 'X-Forwarded-Host', 'Forwarded'])
          expectRefused(
            await call(access_token, elsewhere, '/api/courses', [
              [name, name === 'Forwarded' ? 'host=evil.example' : 'evil.example'],
            ]),
            'invalid_dpop_proof',
          )
        const absolute = 'http://evil.example/api/courses'
        expectRefused(await call(access_token, elsewhere, absolute), 'invalid_dpop_proof')
        expect((await call(access_token, proofFor(key, access_token), absolute)).status).toBe(200)
      })

      it('DP-04: a captured proof expires after some minutes', async () => {
        const app = await App.register(bench)
        const { access_token } = await bound(app)
        const proof = proofFor(key, access_token)
        later(301)
        const answer = await call(access_token, proof)
        expectRefused(answer, 'use_dpop_nonce')
        const nonce = answer.header('dpop-nonce')
        expect(
          (await call(access_token, proofFor(key, access_token, '/api/courses', { nonce }))).status,
        ).toBe(200)
        later(60)
        const aged = await call(access_token, proofFor(key, access_token, '/api/courses', { nonce }))
        expect([aged.status, aged.header('dpop-nonce') === nonce]).toEqual([200, false])
        expect(aged.header('dpop-nonce'), 'comes through the framework').toMatch(/^[\w-]{43}$/)
      })

      it('DP-05: two proofs, two tokens or two schemes at once are rejected', async () => {
        const app = await App.register(bench)
        const { access_token } = await bound(app)
        const good = proofFor(key, access_token)
        const line = proofLine(proofFor(thief, access_token))
        expectRefused(await call(access_token, good, undefined, [line]), 'invalid_dpop_proof')
        for (const second of [`Bearer ${access_token}`, `DPoP ${access_token}`]) {
          const twice = await call(access_token, good, undefined, [['Authorization', second]])
          expect([400, 401], second).toContain(twice.status)
        }
      })

      it('DP-06: an unbound token is rejected with the DPoP scheme', async () => {
        const app = await App.register(bench)
        const { access_token } = await app.tokens()
        expectRefused(await call(access_token, proofFor(thief, access_token)), 'invalid_token')
        expect((await app.call(access_token)).status).toBe(200)
      })

      it('DP-07: without a valid token no signature is verified', async () => {
        const app = await App.register(bench)
        const { access_token } = await bound(app)
        const spoilt = proofFor(key, access_token).slice(0, -8)
        expectRefused(await call(`${access_token.slice(0, -1)}_`, spoilt), 'invalid_token')
        expectRefused(await call(access_token, spoilt), 'invalid_dpop_proof')
      })
    })

    describe('at the token endpoint', () => {
      it('DP-08: a stolen refresh token of a public client is unusable without its key, and revokes nothing', async () => {
        const app = await App.register(bench)
        const { refresh_token } = await bound(app)
        for (const headers of [[], [atToken(thief)]])
          expectError(await refresh(app, refresh_token, headers), 'invalid_dpop_proof')
        const next = tokensOf(await refresh(app, refresh_token, [atToken(key)]))
        later(900)
        for (const headers of [[], [atToken(thief)]])
          expectError(await refresh(app, refresh_token, headers), 'invalid_dpop_proof')
        expect((await refresh(app, next.refresh_token, [atToken(key)])).status).toBe(200)
      })

      it('DP-09: a lost response is repeated only for the key of its rotation', async () => {
        const app = await App.register(bench, { token_endpoint_auth_method: 'client_secret_post' })
        const { refresh_token } = await bound(app)
        const first = tokensOf(await refresh(app, refresh_token, [atToken(key)]))
        expectError(await refresh(app, refresh_token, [atToken(thief)]), 'invalid_grant')
        expectError(await refresh(app, refresh_token, []), 'invalid_grant')
        expect(tokensOf(await refresh(app, refresh_token, [atToken(key)]))).toMatchObject({
          access_token: first.access_token,
          refresh_token: first.refresh_token,
        })
      })

      it('DP-10: a code that is bound to a key is rejected with another key, and stays valid', async () => {
        const app = await App.register(bench)
        const proof = key.proof('POST', `${bench.base}/api/oauth/token`)
        const jwk = JSON.parse(Buffer.from(proof.split('.')[0] ?? '', 'base64url').toString()).jwk
        const code = await app.code({ dpop_jkt: hashOf(JSON.stringify(jwk)) })
        expectError(await app.redeem(code), 'invalid_grant')
        expectError(await app.token(app.redemption(code), [atToken(thief)]), 'invalid_grant')
        expect((await app.token(app.redemption(code), [proofLine(proof)])).status).toBe(200)
      })

      it('DP-12: a malformed proof of any size or shape is rejected', async () => {
        const app = await App.register(bench)
        const code = await app.code()
        const shapes = ['', '.', '..', 'a.b.c', 'x'.repeat(6000), `${'a'.repeat(4000)}.b.c`, 'é.é.é']
        for (const shape of shapes) {
          const answer = await app.token(app.redemption(code), [proofLine(shape)])
          expect([400, 431], shape.slice(0, 20)).toContain(answer.status)
        }
        expect((await app.token(app.redemption(code), [atToken(key)])).status).toBe(200)
      })
    })
  },
  { DPOP: 'on' },
)

onTheService(
  'proofs that are good once',
  (bench) => {
    async function proven() {
      const key = new Key()
      const app = await App.register(bench)
      const atToken = key.proof('POST', `${bench.base}/api/oauth/token`)
      const answer = await app.token(app.redemption(await app.code()), [proofLine(atToken)])
      const { access_token } = tokensOf(answer)
      const proof = key.proof('GET', `${bench.base}/api/courses`, { ath: hashOf(access_token) })
      return [['Authorization', `DPoP ${access_token}`], proofLine(proof)] as const
    }
    const call = (headers: HeaderLines) => bench.send('/api/courses', { headers })

    it('DP-13: a used proof is rejected at once, even with concurrent requests', async () => {
      const headers = await proven()
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(headers)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const refused = await call(headers)
      expect([refused.status, refused.json().error]).toEqual([401, 'invalid_dpop_proof'])
    })
  },
  { DPOP: 'on', DPOP_REPLAY: 'strict' },
)
