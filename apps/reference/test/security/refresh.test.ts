import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import { type App, type Tokens, tokensOf } from './app.ts'
import { later, onBothStores } from './on-both-stores.ts'
import {
  expectError,
  expectFamilyDead,
  expectInvalidClient,
  expectInvalidToken,
  expectNoEffect,
} from './safe-answers.ts'

/** A refresh token: it rotates, belongs to one client, and ends everything when it is used twice. */

const rotated = async (app: App, tokens: Tokens, overrides = {}) =>
  tokensOf(await app.refresh(tokens.refresh_token, overrides))

onBothStores('refreshing', (bench) => {
  it('RF-01, REQ-43: every refresh gives a new pair, and the old token is no longer the one', async () => {
    const app = await bench.app()
    const first = await app.tokens()
    const second = await rotated(app, first)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.access_token).not.toBe(first.access_token)
    expect(await app.introspect(first.refresh_token)).toEqual({ active: false })
    expect((await app.call(second.access_token)).status).toBe(200)
  })

  it('RF-02, REQ-43, REQ-44: an old token after the retry window ends the whole family', async () => {
    const app = await bench.app()
    const first = await app.tokens()
    const second = await rotated(app, first)
    later(61)
    expectError(await app.refresh(first.refresh_token), 'invalid_grant')
    await expectFamilyDead(app, first)
    await expectFamilyDead(app, second)
  })

  it('RF-02: a token of two rotations ago ends the family at once, within the window too', async () => {
    const app = await bench.app()
    const first = await app.tokens()
    const third = await rotated(app, await rotated(app, first))
    expectError(await app.refresh(first.refresh_token), 'invalid_grant')
    await expectFamilyDead(app, third)
  })

  it('REQ-44: a retry inside the window gets the same pair again, for the same scope and resource only', async () => {
    const app = await bench.app()
    const first = await app.tokens()
    const second = await rotated(app, first)
    later(30)
    const again = await rotated(app, first)
    expect([again.access_token, again.refresh_token]).toEqual([second.access_token, second.refresh_token])
    expectError(await app.refresh(first.refresh_token, { scope: 'openid' }), 'invalid_grant')
    expectError(await app.refresh(first.refresh_token, { resource: bench.base }), 'invalid_grant')
    await expectNoEffect(app, second)
  })

  it('RF-03, REQ-44: refreshes at once all get the same successor, so there are never two', async () => {
    const app = await bench.app()
    for (let round = 0; round < 5; round++) {
      const { refresh_token } = await app.tokens()
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.refresh(refresh_token)))
      const served = answers.filter(({ status }) => status === 200).map(tokensOf)
      expect(served.length).toBeGreaterThan(0)
      expect(new Set(served.map((tokens) => tokens.refresh_token)).size).toBe(1)
      expect(new Set(served.map((tokens) => tokens.access_token)).size).toBe(1)
    }
  })

  it('RF-06, REQ-45: a token in the hands of another client is worth nothing, and its owner notices nothing', async () => {
    for (const metadata of [{}, { token_endpoint_auth_method: 'client_secret_post' }]) {
      const [app, thief] = [await bench.app(metadata), await bench.app(metadata, 'bob')]
      const tokens = await app.tokens()
      expectError(await thief.refresh(tokens.refresh_token), 'invalid_grant')
      expectInvalidClient(await app.refresh(tokens.refresh_token, { client_id: 'nobody' }))
      await expectNoEffect(app, tokens)
    }
  })

  it('RF-07, REQ-46: a scope that was not granted is refused, and costs nothing', async () => {
    const app = await bench.app()
    const tokens = await app.tokens()
    for (const scope of ['openid students:read', 'students:write', 'nothing', 'openid  profile', '"'])
      expectError(await app.refresh(tokens.refresh_token, { scope }), 'invalid_scope', scope)
    await expectNoEffect(app, tokens)
  })

  it('RF-08, REQ-46: a part of the scope may be asked for, and all of it again later', async () => {
    const app = await bench.app()
    const narrow = await rotated(app, await app.tokens(), { scope: 'openid' })
    expect(narrow.scope).toBe('openid')
    expect((await app.call(narrow.access_token, '/api/students')).status).toBe(403)
    const wide = await rotated(app, narrow)
    expect(wide.scope).toBe('openid profile courses:read')
    const again = await rotated(app, wide, { scope: 'courses:read profile openid' })
    expect(again.scope.split(' ').sort()).toEqual(['courses:read', 'openid', 'profile'])
  })

  it('RF-10, REQ-42: a resource that was not granted is refused, and costs nothing', async () => {
    const app = await bench.app()
    const tokens = await app.tokens({ resource: bench.base })
    for (const resource of [`${bench.base}/mcp`, 'https://elsewhere.example', 'x', `${bench.base}#f`])
      expectError(await app.refresh(tokens.refresh_token, { resource }), 'invalid_target', resource)
    await expectNoEffect(app, tokens)
  })

  it('RF-11: no other credential is taken for a refresh token, nor a refresh token for an access token', async () => {
    const app = await bench.app()
    const tokens = await app.tokens()
    const other = await app.tokens()
    const [, rest = ''] = /^gkr_[^.]+(.*)$/.exec(other.refresh_token) ?? []
    const mixed = `${tokens.refresh_token.split('.')[0]}${rest}`
    const flipped =
      tokens.refresh_token.slice(0, -3) +
      (tokens.refresh_token.at(-3) === 'A' ? 'B' : 'A') +
      tokens.refresh_token.slice(-2)
    const wrong = [tokens.access_token, tokens.id_token, await app.code(), mixed, 'gkr_', 'x'.repeat(3000)]
    for (const token of wrong)
      expectError(await app.refresh(token), ['invalid_grant', 'invalid_request'], token)
    for (const token of [tokens.refresh_token, tokens.id_token, flipped])
      expectInvalidToken(bench, await app.call(token))
    await expectNoEffect(app, tokens)
  })

  it('REQ-47: a new ID token speaks of the same sign-in, without the nonce of the first', async () => {
    const app = await bench.app()
    const first = await app.tokens({ nonce: 'n-0S6' })
    const [before, after] = [decodeJwt(first.id_token), decodeJwt((await rotated(app, first)).id_token)]
    for (const claim of ['iss', 'sub', 'aud', 'azp', 'auth_time']) expect(after[claim]).toEqual(before[claim])
    expect([before.nonce, after.nonce]).toEqual(['n-0S6', undefined])
    expect(after.iat).toBeGreaterThanOrEqual(Number(before.iat))
  })

  it('REQ-49: a store that fails in the middle does not burn the token', async () => {
    const app = await bench.app()
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
    const without = await bench.app({ grant_types: ['authorization_code'] })
    expect(await without.tokens()).not.toHaveProperty('refresh_token')
    const app = await bench.app()
    expect((await app.authorize({ scope: 'openid offline_access' })).redirected().get('error')).toBe(
      'invalid_scope',
    )
    expect((await app.tokens({ scope: 'courses:read' })).refresh_token).toMatch(/^gkr_/)
  })
})

const SHORT = { GRANT_LIFETIME: '3000', REFRESH_TOKEN_LIFETIME: '1000', ACCESS_TOKEN_LIFETIME: '600' }

onBothStores(
  'refreshing for a limited time',
  (bench) => {
    it('REQ-48: a token that nobody uses expires, and no refresh moves the end of its grant', async () => {
      const app = await bench.app()
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

    it('REQ-52: an access token expires when it was said to', async () => {
      const app = await bench.app()
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
    it('RF-03, REQ-44: of refreshes at once one succeeds, and then the family is dead', async () => {
      const app = await bench.app()
      const { refresh_token } = await app.tokens()
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.refresh(refresh_token)))
      const served = answers.filter(({ status }) => status === 200).map(tokensOf)
      expect(served).toHaveLength(1)
      for (const tokens of served) await expectFamilyDead(app, tokens)
    })

    it('REQ-44: a repeated refresh is a reuse', async () => {
      const app = await bench.app()
      const first = await app.tokens()
      const second = await rotated(app, first)
      expectError(await app.refresh(first.refresh_token), 'invalid_grant')
      await expectFamilyDead(app, second)
    })
  },
  { REFRESH_RETRY_WINDOW: '0' },
)
