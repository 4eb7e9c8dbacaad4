import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { expect, it } from 'vitest'
import { App, tokensOf } from './app.ts'
import type { Bench } from './bench.ts'
import { onTheService } from './on-both-stores.ts'

/** Attacks by an agent, a sub-agent and an API with the tokens they hold. */

const GRANT_TYPES = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]

async function agentOf(bench: Bench) {
  const app = await App.register(bench, { grant_types: GRANT_TYPES })
  return { app, tokens: await app.tokens({ scope: 'openid courses:read courses:write' }) }
}

function exchange(app: App, subject_token: string, more: Record<string, string> = {}) {
  const types = { grant_type: TOKEN_EXCHANGE, subject_token_type: ACCESS_TOKEN_TYPE }
  return app.token({ ...app.credentials, ...types, subject_token, ...more })
}

onTheService(
  'token exchange',
  (bench) => {
    it('TX-06: an exchange concurrent with the revocation of its grant leaves no valid token', async () => {
      for (let round = 0; round < 5; round++) {
        const { app, tokens } = await agentOf(bench)
        const [exchanged] = await Promise.all([
          exchange(app, tokens.access_token),
          app.revoke(tokens.refresh_token),
        ])
        if (exchanged.status === 200)
          expect((await app.call(tokensOf(exchanged).access_token)).status).toBe(401)
        else expect(exchanged.json().error).toBe('invalid_request')
      }
    })

    it('TX-07: an unreachable store consumes no token', async () => {
      const { app, tokens } = await agentOf(bench)
      bench.failuresExpected = true
      bench.fault = () => Promise.reject(new Error('out of reach'))
      expect((await exchange(app, tokens.access_token)).status).toBe(503)
      bench.fault = undefined
      expect((await exchange(app, tokens.access_token)).status).toBe(200)
    })
  },
  { TOKEN_EXCHANGE: 'on' },
)
