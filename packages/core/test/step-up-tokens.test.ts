import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { idJag, MCP, openForOrganization, present } from './assertions.ts'
import { bodyOf, credentials, refresh, requestToken, type TokenAnswer } from './client.ts'
import { ISSUER } from './service.ts'
import { CLASSES, openStepUp } from './step-up-service.ts'

/** What tokens tell of the sign-in that they began in (RFC 9470 6), and that no later step makes it stronger or newer. */

async function withTokens(settings: Parameters<typeof openStepUp>[0] = {}) {
  const open = await openStepUp(settings)
  const signedInAt = open.service.clock.now
  const browser = open.signedIn('mfa', 'pwd.otp')
  // The user reads the consent page for a minute.
  open.service.clock.now += 60
  const tokens = await open.tokens(browser, { nonce: 'n', resource: ISSUER })
  return { ...open, signedInAt, got: tokens }
}

describe('the tokens of a sign-in', () => {
  it('tell its class and time; the ID token its methods too', async () => {
    const { got, introspect, signedInAt: auth_time } = await withTokens()
    expect(decodeJwt(got.id_token)).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp'], auth_time })
    const told = await introspect(got.access_token)
    expect(told).toMatchObject({ acr: 'mfa', auth_time })
    expect(told).not.toHaveProperty('amr')
  })

  it('tell them as JWTs', async () => {
    const { got, signedInAt: auth_time } = await withTokens({
      server: { features: [jwtAccessTokens({ resources: { [ISSUER]: {} } })], resources: [ISSUER] },
    })
    expect(decodeJwt(got.access_token)).toMatchObject({ acr: 'mfa', auth_time })
  })

  it('tell no class if the session had none', async () => {
    const { tokens, introspect } = await openStepUp()
    const { id_token, access_token } = await tokens('user=alice@1799999000')
    for (const told of [decodeJwt(id_token), await introspect(access_token)]) {
      expect(told).not.toHaveProperty('acr')
      expect(told).toMatchObject({ auth_time: 1_799_999_000 })
    }
  })

  it('keep the class and the time of the first sign-in at every refresh, whatever the user does meanwhile', async () => {
    const { service, client, got, introspect, ask, signedIn, signedInAt: auth_time } = await withTokens()
    let { refresh_token } = got
    for (let round = 0; round < 3; round++) {
      service.clock.now += 3000
      await ask(signedIn('phr'), { acr_values: 'phr' })
      const answer = bodyOf<TokenAnswer>(
        await refresh(service, client, refresh_token, { acr_values: 'phr', max_age: '0' }),
      )
      refresh_token = answer.refresh_token
      expect(await introspect(answer.access_token)).toMatchObject({ acr: 'mfa', auth_time })
      expect(decodeJwt(answer.id_token)).toMatchObject({ acr: 'mfa', auth_time })
    }
  })

  it('are inherited by exchanged tokens', async () => {
    const grant_types = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]
    const { service, client, got, call } = await withTokens({
      ...{ server: { features: [tokenExchange()] }, client: { grant_types } },
    })
    const exchanged = await requestToken(service, {
      ...{ ...credentials(client), grant_type: TOKEN_EXCHANGE, subject_token: got.access_token },
      ...{ subject_token_type: ACCESS_TOKEN_TYPE, scope: 'courses:read', acr_values: 'phr' },
    })
    const { access_token } = bodyOf<TokenAnswer>(exchanged)
    expect((await call(access_token, { acr: 'mfa', maxAge: 60 }, 'courses:read')).status).toBe(200)
    expect((await call(access_token, { acr: 'phr' }, 'courses:read')).status).toBe(401)
  })
})

it('a grant keeps its sign-in where it is stored, next to its user', async () => {
  const { service } = await withTokens()
  const { grants } = await service.store.grants.list({ subject: 'alice' }, { limit: 9 })
  expect(grants[0]).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp'], authTime: 1_800_000_000 })
})

it('a client cannot demand a class with the claims parameter, which is ignored', async () => {
  const { ask, signedIn, service } = await openStepUp()
  const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['phr'] } } })
  expect((await ask(signedIn('pwd'), { claims })).body).toBe('consent')
  expect(service.server.metadata).toMatchObject({ claims_parameter_supported: false })
})

describe('the sign-in that the issuer of an ID-JAG tells', () => {
  const claimsWith = async (classes?: readonly string[]) => {
    const signed = jwtAccessTokens({ resources: { [MCP]: {} } })
    const { service, assistant } = await openForOrganization({
      trust: { trustAcr: true },
      features: [signed],
      options: { stepUp: classes && { classes } },
    })
    const claims = { auth_time: service.clock.now - 60, acr: 'phr', amr: ['hwk'] }
    const { body } = await present(service, await idJag(service, assistant, { claims }), assistant)
    return decodeJwt(String(body.access_token))
  }

  it('is told in its token', async () => {
    expect(await claimsWith(CLASSES)).toMatchObject({ acr: 'phr' })
  })

  it('is not told on a server without classes', async () => {
    expect(await claimsWith()).not.toHaveProperty('acr')
  })
})
