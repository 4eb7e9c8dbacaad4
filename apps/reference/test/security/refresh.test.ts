import { expect, it } from 'vitest'
import { App, type Tokens, tokensOf } from './app.ts'
import { later, onBothStores } from './on-both-stores.ts'
import { expectError, expectFamilyDead, expectInvalidToken, expectNoEffect } from './safe-answers.ts'

/** A refresh token rotates, belongs to one client, and its reuse revokes the grant. */

const rotated = async (app: App, tokens: Tokens, overrides = {}) =>
  tokensOf(await app.refresh(tokens.refresh_token, overrides))

onBothStores('refreshing', (bench) => {
  it('RF-03, REQ-44: concurrent refreshes all get the same successor, so there are never two', async () => {
    const app = await App.register(bench)
    for (let round = 0; round < 5; round++) {
      const { refresh_token } = await app.tokens()
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.refresh(refresh_token)))
      const served = answers.filter(({ status }) => status === 200).map(tokensOf)
      expect(served.length).toBeGreaterThan(0)
      expect(new Set(served.map((tokens) => tokens.refresh_token)).size).toBe(1)
      expect(new Set(served.map((tokens) => tokens.access_token)).size).toBe(1)
    }
  })

  it('REQ-49: a store failure during a refresh does not consume the token', async () => {
    const app = await App.register(bench)
    const tokens = await app.tokens()
    for (const broken of ['grants.find', 'grants.replace', 'clients.find']) {
      bench.failuresExpected = true
      bench.fault = async (operation, done) =>
        operation === broken ? Promise.reject(new Error('gone')) : done()
      expectError(await app.refresh(tokens.refresh_token), 'temporarily_unavailable', broken, [503])
      bench.fault = undefined
    }
    await expectNoEffect(app, tokens)
  })

  it('D7: refresh tokens come from the grant types of a client, and offline_access is no scope here', async () => {
    const without = await App.register(bench, { grant_types: ['authorization_code'] })
    expect(await without.tokens()).not.toHaveProperty('refresh_token')
    const app = await App.register(bench)
    const tokens = await app.tokens({ scope: 'courses:read offline_access' })
    expect(tokens).toMatchObject({ scope: 'courses:read', refresh_token: expect.stringMatching(/^gkr_/) })
  })
})

const SHORT = { GRANT_LIFETIME: '3000', REFRESH_TOKEN_LIFETIME: '1000', ACCESS_TOKEN_LIFETIME: '600' }

onBothStores(
  'refreshing for a limited time',
  (bench) => {
    it('REQ-48: an unused token expires, and no refresh extends its grant', async () => {
      const app = await App.register(bench)
      const idle = await app.tokens()
      let used = await app.tokens()
      for (let time = 900; time < 3000; time += 900) {
        later(900)
        used = await rotated(app, used)
      }
      expectError(await app.refresh(idle.refresh_token), 'invalid_grant')
      later(900)
      expectError(await app.refresh(used.refresh_token), 'invalid_grant')
    })

    it('REQ-52: an access token expires at the announced time', async () => {
      const app = await App.register(bench)
      const { access_token } = await app.tokens()
      expect((await app.introspect(access_token)).exp).toBe(
        Number((await app.introspect(access_token)).iat) + 600,
      )
      later(601)
      expectInvalidToken(bench, await app.call(access_token))
    })
  },
  SHORT,
)

onBothStores(
  'refreshing without a retry window',
  (bench) => {
    it('RF-03, REQ-44: one of several concurrent refreshes succeeds, and then the family is revoked', async () => {
      const app = await App.register(bench)
      const { refresh_token } = await app.tokens()
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.refresh(refresh_token)))
      const served = answers.filter(({ status }) => status === 200).map(tokensOf)
      expect(served).toHaveLength(1)
      for (const tokens of served) await expectFamilyDead(app, tokens)
    })
  },
  { REFRESH_RETRY_WINDOW: '0' },
)
