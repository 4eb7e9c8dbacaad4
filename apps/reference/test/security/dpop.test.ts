import { expect, it } from 'vitest'
import { App, type Tokens, tokensOf } from './app.ts'
import { hashOf, Key, proofLine } from './dpop-key.ts'
import { later, onTheService } from './on-the-service.ts'
import type { Answer, HeaderLines } from './wire.ts'

/** DPoP-bound tokens at the API. What a proof must be is tested in core, and so is the token endpoint. */

onTheService(
  'bound tokens',
  (bench) => {
    const key = new Key()
    const thief = new Key()

    async function bound(app: App): Promise<Tokens> {
      const proof = key.proof('POST', `${bench.base}/api/oauth/token`)
      return tokensOf(await app.token(app.redemption(await app.code()), [proofLine(proof)]))
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
      expect((await call(access_token, proofFor(key, access_token, '/api/courses', { nonce }))).status).toBe(
        200,
      )
      later(60)
      const aged = await call(access_token, proofFor(key, access_token, '/api/courses', { nonce }))
      expect([aged.status, aged.header('dpop-nonce') === nonce]).toEqual([200, false])
      expect(aged.header('dpop-nonce'), 'comes through the framework').toMatch(/^[\w-]{43}$/)
    })

    it('DP-05: two proofs, two tokens or two schemes at once are rejected', async () => {
      const app = await App.register(bench)
      const { access_token } = await bound(app)
      const proofAnd = (line: HeaderLines[number]) =>
        call(access_token, proofFor(key, access_token), undefined, [line])
      expectRefused(await proofAnd(proofLine(proofFor(thief, access_token))), 'invalid_dpop_proof')
      for (const second of [`Bearer ${access_token}`, `DPoP ${access_token}`]) {
        const twice = await proofAnd(['Authorization', second])
        expect([400, 401], second).toContain(twice.status)
      }
    })

    it('DP-07: without a valid token no signature is verified', async () => {
      const app = await App.register(bench)
      const { access_token } = await bound(app)
      const spoilt = proofFor(key, access_token).slice(0, -8)
      expectRefused(await call(`${access_token.slice(0, -1)}_`, spoilt), 'invalid_token')
      expectRefused(await call(access_token, spoilt), 'invalid_dpop_proof')
    })

    it('DP-13: a used proof is rejected at once, even with concurrent requests', async () => {
      const app = await App.register(bench)
      const { access_token } = await bound(app)
      const proof = proofFor(key, access_token)
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(access_token, proof)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expectRefused(await call(access_token, proof), 'invalid_dpop_proof')
    })
  },
  { DPOP: 'on', DPOP_REPLAY: 'strict' },
)
