import { expect, it } from 'vitest'
import { App, tokensOf } from './app.ts'
import { hashOf, Key, proofLine } from './dpop-key.ts'
import { onTheService } from './on-the-service.ts'

/** The settings of DPoP reach the guard of the API. What a proof must be is tested in core. */

onTheService(
  'bound tokens',
  (bench) => {
    it('a call of the API needs a proof for the address of the service, which is good once', async () => {
      const app = await App.register(bench)
      const key = new Key()
      const redemption = app.redemption(await app.code())
      const proof = key.proof('POST', `${bench.base}/api/oauth/token`)
      const { access_token } = tokensOf(await app.token(redemption, [proofLine(proof)]))
      const proofAt = (origin: string) =>
        key.proof('GET', `${origin}/api/courses`, { ath: hashOf(access_token) })
      const call = async (sent: string) => {
        const headers = [['Authorization', `DPoP ${access_token}`], proofLine(sent)] as const
        return (await bench.send('/api/courses', { headers })).status
      }
      const good = proofAt(bench.base)
      expect([await call(good), await call(good)]).toEqual([200, 401])
      expect(await call(proofAt('http://evil.example'))).toBe(401)
      expect((await app.call(access_token)).status, 'as a bearer token').toBe(401)
    })
  },
  { DPOP: 'on', DPOP_REPLAY: 'strict' },
)
