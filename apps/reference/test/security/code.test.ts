import { describe, expect, it } from 'vitest'
import { CHALLENGE, tokensOf, VERIFIER } from './app.ts'
import { later, onBothStores } from './on-both-stores.ts'
import { expectError, expectFamilyDead, expectInvalidClient } from './safe-answers.ts'

/** A code: what it takes to redeem it, and that it is redeemed once. */

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }

onBothStores('the redemption of a code', (bench) => {
  describe('the verifier', () => {
    it('CR-01, D5: a wrong verifier burns the code, so the right one comes too late', async () => {
      const app = await bench.app()
      const code = await app.code()
      expectError(await app.redeem(code, { code_verifier: 'w'.repeat(43) }), 'invalid_grant')
      expectError(await app.redeem(code), 'invalid_grant')
    })

    it('CR-02: a code without its verifier, or with an empty one, gives nothing', async () => {
      for (const metadata of [{}, CONFIDENTIAL]) {
        const app = await bench.app(metadata)
        for (const code_verifier of [undefined, ''])
          expectError(await app.redeem(await app.code(), { code_verifier }), [
            'invalid_grant',
            'invalid_request',
          ])
      }
    })

    it('CR-04, REQ-37: neither the challenge itself nor what is no verifier is taken', async () => {
      const app = await bench.app()
      const wrong = [
        CHALLENGE,
        VERIFIER.slice(1),
        'v'.repeat(129),
        `${VERIFIER.slice(1)}=`,
        `${VERIFIER.slice(1)}\0`,
      ]
      for (const code_verifier of [...wrong, 'é'.repeat(43), 'v'.repeat(60_000)])
        expectError(
          await app.redeem(await app.code(), { code_verifier }),
          ['invalid_grant', 'invalid_request'],
          code_verifier.slice(0, 50),
        )
    })

    it('REQ-38: there is no code without a challenge, so a verifier can never be without its counterpart', async () => {
      const app = await bench.app()
      const answer = await app.authorize({ code_challenge: undefined, code_challenge_method: undefined })
      expect([answer.redirected().get('error'), answer.redirected().has('code')]).toEqual([
        'invalid_request',
        false,
      ])
    })
  })

  it('CR-05, REQ-40: a code that is redeemed twice ends everything the first redemption gave', async () => {
    const app = await bench.app()
    const code = await app.code()
    const tokens = tokensOf(await app.redeem(code))
    expectError(await app.redeem(code), 'invalid_grant')
    await expectFamilyDead(app, tokens)
  })

  it('CR-06, REQ-39: of redemptions at once one succeeds, and then nothing of that grant works', async () => {
    const app = await bench.app()
    for (let round = 0; round < 5; round++) {
      const code = await app.code()
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.redeem(code)))
      const served = answers.filter(({ status }) => status === 200)
      expect(served).toHaveLength(1)
      for (const answer of answers.filter(({ status }) => status !== 200))
        expectError(answer, 'invalid_grant')
      for (const answer of served) await expectFamilyDead(app, tokensOf(answer))
    }
  })

  it('CR-08: a code in the hands of another client is worth nothing, and its owner notices nothing', async () => {
    for (const metadata of [{}, CONFIDENTIAL]) {
      const app = await bench.app(metadata)
      const thief = await bench.app(metadata, 'bob')
      const code = await app.code()
      expectError(await thief.token(app.redemption(code, thief.credentials)), 'invalid_grant')
      expect((await app.redeem(code)).status).toBe(200)
    }
  })

  it('CR-10, D5, REQ-13: redirect_uri has to be repeated with its port, and a slip there costs nothing', async () => {
    const app = await bench.app()
    const code = await app.code()
    for (const redirect_uri of [undefined, '', `${app.redirectUri}/`, 'http://127.0.0.1:7002/cb'])
      expectError(await app.redeem(code, { redirect_uri }), 'invalid_grant', redirect_uri)
    expect((await app.redeem(code)).status).toBe(200)
  })

  it('D5: neither a wrong client nor a wrong resource costs the code', async () => {
    const app = await bench.app()
    const code = await app.code({ resource: `${bench.base}/mcp` })
    expectError(await app.redeem(code, { client_id: (await bench.app()).id }), 'invalid_grant')
    expectError(await app.redeem(code, { resource: bench.base }), 'invalid_target')
    expect((await app.redeem(code)).status).toBe(200)
  })

  it('REQ-28: a code is long, random and good for a minute', async () => {
    const app = await bench.app()
    const codes = [await app.code(), await app.code()] as const
    expect(codes[0]).toMatch(/^gkc_[\w-]{22}\.[\w-]{43}$/)
    expect(new Set(codes.map((code) => code.split('.')[1])).size).toBe(2)
    expect((await app.redeem(codes[0])).status).toBe(200)
    later(61)
    expectError(await app.redeem(codes[1]), 'invalid_grant')
  })

  it('REQ-28: a code that changed by one character is another one, and harms nobody', async () => {
    const app = await bench.app()
    const code = await app.code()
    const flipped = [5, 20, code.length - 3].map(
      (at) => code.slice(0, at) + (code[at] === 'A' ? 'B' : 'A') + code.slice(at + 1),
    )
    for (const guess of [...flipped, code.slice(0, -1), `${code}A`, code.toUpperCase(), 'gkc_.', ''])
      expectError(await app.redeem(guess), ['invalid_grant', 'invalid_request'], guess)
    expect((await app.redeem(code)).status).toBe(200)
  })

  it('REQ-41: a code is recognised as spent as long as what it gave lives', async () => {
    const app = await bench.app()
    const code = await app.code()
    const tokens = tokensOf(await app.redeem(code))
    later(29 * 24 * 3600)
    expectError(await app.redeem(code), 'invalid_grant')
    expectError(await app.refresh(tokens.refresh_token), 'invalid_grant')
  })

  it('REQ-40: a spent code in the hands of another client ends nothing', async () => {
    const app = await bench.app()
    const thief = await bench.app({}, 'bob')
    const code = await app.code()
    const tokens = tokensOf(await app.redeem(code))
    expectError(await app.redeem(code, { client_id: thief.id }), 'invalid_grant')
    expectInvalidClient(await app.redeem(code, { client_id: 'nobody' }))
    expect((await app.call(tokens.access_token)).status).toBe(200)
  })

  it('REQ-33: the answer has what RFC 6749 5.1 asks for, an ID token only with openid, and is kept nowhere', async () => {
    const app = await bench.app()
    const answer = await app.redeem(await app.code({ scope: 'openid courses:read' }))
    expect(answer.json()).toEqual({
      access_token: expect.stringMatching(/^gka_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid courses:read',
      refresh_token: expect.stringMatching(/^gkr_/),
      id_token: expect.stringMatching(/^ey/),
    })
    expect([answer.header('cache-control'), answer.header('pragma')]).toEqual(['no-store', 'no-cache'])
    expect(answer.header('content-type')).toBe('application/json')
    const plain = await app.redeem(await app.code({ scope: 'courses:read' }))
    expect([plain.json().scope, plain.json().id_token]).toEqual(['courses:read', undefined])
  })
})
