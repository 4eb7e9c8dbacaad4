import { formEncoded } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'
import { onBothStores } from './on-both-stores.ts'
import {
  expectError,
  expectFamilyDead,
  expectInvalidClient,
  expectInvalidToken,
  expectNoEffect,
} from './safe-answers.ts'

/** Revocation: it works for the owner and for nobody else, and tells nobody what exists. */

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }

onBothStores('revocation', (bench) => {
  it('RV-01, REQ-66: a token of another client is not revoked, and its owner notices nothing', async () => {
    for (const metadata of [{}, CONFIDENTIAL]) {
      const app = await bench.app(metadata)
      const tokens = await app.tokens()
      const thief = await bench.app(metadata, 'bob')
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        const answer = await thief.revoke(token)
        if (answer.status !== 200) expectError(answer, ['invalid_grant', 'unauthorized_client'])
      }
      await expectNoEffect(app, tokens)
    }
  })

  it('RV-02, REQ-66: what is no live token is a success, all of it the same', async () => {
    const app = await bench.app()
    const tokens = await app.tokens()
    await app.revoke(tokens.access_token)
    const dead = [
      tokens.access_token,
      'garbage',
      tokens.id_token,
      'gka_x.y',
      'gkr_x',
      '\0',
      'é',
      'x'.repeat(60_000),
    ]
    for (const token of dead) {
      const answer = await app.revoke(token)
      expect([answer.status, answer.body, answer.header('cache-control')], token.slice(0, 20)).toEqual([
        200,
        '{}',
        'no-store',
      ])
    }
    expect([400, 413]).toContain((await app.revoke('x'.repeat(1_000_000))).status)
  })

  it('RV-02, REQ-67: a request without a token, or with two, is malformed', async () => {
    const app = await bench.app()
    expectError(await bench.post('/api/oauth/revoke', app.credentials), 'invalid_request')
    const twice = `${formEncoded({ token: 'a', ...app.credentials })}&token=b`
    expectError(await bench.post('/api/oauth/revoke', [...new URLSearchParams(twice)]), 'invalid_request')
  })

  it('RV-03, REQ-67: revoking a refresh token ends its family, at once', async () => {
    const app = await bench.app()
    const tokens = await app.tokens()
    expect((await app.revoke(tokens.refresh_token)).status).toBe(200)
    await expectFamilyDead(app, tokens)
  })

  it('RV-03, REQ-67: revoking an access token ends that one, at once', async () => {
    const app = await bench.app()
    const tokens = await app.tokens()
    expect((await app.revoke(tokens.access_token)).status).toBe(200)
    expectInvalidToken(bench, await app.call(tokens.access_token))
    expect(await app.introspect(tokens.access_token)).toEqual({ active: false })
    expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
  })

  it('RV-03, REQ-67: a wrong hint about the kind of token prevents nothing', async () => {
    const app = await bench.app()
    for (const token_type_hint of ['access_token', 'refresh_token', 'unknown', 'x'.repeat(5000), '\0']) {
      const tokens = await app.tokens()
      expect((await app.revoke(tokens.refresh_token, { token_type_hint })).status).toBe(200)
      await expectFamilyDead(app, tokens, token_type_hint)
    }
  })

  it('RV-03: a token that was rotated meanwhile ends the family too', async () => {
    const app = await bench.app()
    const first = await app.tokens()
    await app.refresh(first.refresh_token)
    expect((await app.revoke(first.refresh_token)).status).toBe(200)
    await expectFamilyDead(app, first)
  })

  it('RV-04, REQ-67: a confidential client needs its secret, a public one its id', async () => {
    const app = await bench.app(CONFIDENTIAL)
    const tokens = await app.tokens()
    for (const client_secret of [undefined, '', 'wrong'])
      expectInvalidClient(await app.revoke(tokens.refresh_token, { client_secret }))
    await expectNoEffect(app, tokens)
    const publicApp = await bench.app()
    const theirs = await publicApp.tokens()
    expectInvalidClient(await publicApp.revoke(theirs.refresh_token, { client_id: undefined }))
    expectInvalidClient(await publicApp.revoke(theirs.refresh_token, { client_secret: 'x' }))
    expect((await publicApp.revoke(theirs.refresh_token)).status).toBe(200)
  })
})
