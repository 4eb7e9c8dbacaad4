import type { Overrides } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'
import { App } from './app.ts'
import { onTheService } from './on-the-service.ts'
import { expectInvalidClient } from './safe-answers.ts'
import type { HeaderLines } from './wire.ts'

/** HTTP Basic on the wire. How a client authenticates is tested in core. */

const SECRET_IN_HEADER: Overrides = { client_id: undefined, client_secret: undefined }

onTheService(
  'HTTP Basic, where it is offered',
  (bench) => {
    const basic = (id: string, secret = '') =>
      ['Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`] as const

    it('CA-14: a repeated or huge header authenticates no client, and consumes nothing', async () => {
      const app = await App.register(bench, { token_endpoint_auth_method: 'client_secret_post' })
      const code = await app.code()
      const redeem = (headers: HeaderLines) =>
        bench.post('/api/oauth/token', app.redemption(code, SECRET_IN_HEADER), headers)
      const [good, other] = [basic(app.id, app.secret), basic('other', 'secret')]
      for (const headers of [
        [good, good],
        [good, other],
        [other, good],
      ]) {
        const answer = await redeem(headers)
        expectInvalidClient(answer, String(headers))
        expect(answer.header('www-authenticate'), String(headers)).toMatch(/^Basic realm="oauth"/)
      }
      expect((await redeem([basic(app.id, 's'.repeat(100_000))])).status).toBe(431)
      expect(bench.keepTokens(await redeem([good])).status).toBe(200)
    })
  },
  { CLIENT_AUTHENTICATION: 'none,client_secret_post,client_secret_basic' },
)
