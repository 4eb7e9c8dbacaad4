import { createResourceServer } from '@grantkit/core'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { dpopProofs } from '@grantkit/core/dpop'
import { type ForwardAuthOptions, forwardAuth } from '@grantkit/core/forward-auth'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { bodyOf, credentials, refresh, requestToken, type TokenAnswer } from './client.ts'
import { ISSUER, SCOPES } from './service.ts'
import { CLASSES, called, openStepUp, requestWith, type StepUpService } from './step-up-service.ts'

/** What an API demands of a sign-in (RFC 9470 3). */

const METADATA = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`

async function withToken(acr = 'mfa', settings: Parameters<typeof openStepUp>[0] = {}) {
  const open = await openStepUp(settings)
  return { ...open, token: (await open.tokens(open.signedIn(acr))).access_token }
}

describe('a route that requires a class', () => {
  it.each([
    ['the class', 'mfa', 200],
    ['a stronger class', 'phr', 200],
    ['a weaker class', 'pwd', 401],
    ['no class', '', 401],
  ])('answers a token of %s', async (_, acr, status) => {
    const { call, token } = await withToken(acr)
    expect((await call(token, { acr: 'mfa' }, 'courses:read')).status).toBe(status)
  })

  it('names in its challenge all that one authorization needs: class, age and scope', async () => {
    const { call, token } = await withToken('pwd')
    const { challenge } = await call(token, { acr: 'phr', maxAge: 300 }, 'courses:read')
    expect(challenge).toMatch(/^Bearer error="insufficient_user_authentication", error_description="[^"]+", /)
    expect(challenge).toContain(`acr_values="phr", max_age="300", scope="courses:read", ${METADATA}`)
  })

  it('names them also to a caller without a token, with a dead one, or without the scope', async () => {
    const { guard, token } = await withToken('pwd')
    const api = guard.requiring({ acr: 'phr' })
    const demands = `acr_values="phr", scope="students:read", ${METADATA}`
    const bare = { ...requestWith(''), headers: {} }
    for (const [request, status] of [
      [bare, 401],
      [requestWith('gka_unknown'), 401],
      [requestWith(token), 403],
    ] as const) {
      const answer = await called(api.access(request, 'students:read'))
      expect(answer.status).toBe(status)
      expect(answer.challenge).toContain(demands)
    }
  })

  it('is decided by the guard, not by the request of the client', async () => {
    const { ask, allow, signedIn, call } = await openStepUp()
    const browser = signedIn('pwd')
    // Somebody removed `acr_values` from the address.
    await ask(browser)
    const { access_token } = await allow(browser)
    expect((await call(access_token, { acr: 'mfa' }, 'courses:read')).status).toBe(401)
  })

  it('refuses the refreshed token of a weak sign-in, after a strong one of the same user', async () => {
    const { service, client, tokens, signedIn, call } = await openStepUp()
    const { refresh_token } = await tokens(signedIn('pwd'))
    await tokens(signedIn('phr'))
    const refreshed = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
    expect((await call(refreshed.access_token, { acr: 'phr' }, 'courses:read')).status).toBe(401)
  })
})

describe('a route that requires a recent sign-in', () => {
  it('has no tolerance', async () => {
    const { call, token, service } = await withToken()
    const status = async () => (await call(token, { maxAge: 300 }, 'courses:read')).status
    service.clock.now += 300
    expect(await status()).toBe(200)
    service.clock.now += 1
    expect(await status()).toBe(401)
  })

  it('counts from the sign-in, not from the token or its refresh', async () => {
    const { service, client, tokens, signedIn, call } = await openStepUp()
    const browser = signedIn('pwd')
    service.clock.now += 301
    const { access_token, refresh_token } = await tokens(browser)
    const refreshed = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
    for (const token of [access_token, refreshed.access_token])
      expect((await call(token, { maxAge: 300 }, 'courses:read')).status).toBe(401)
  })

  it('does not find a sign-in younger because a clock went back', async () => {
    const { service, tokens, signedIn, call } = await openStepUp()
    const browser = signedIn('pwd')
    service.clock.now += 1000
    const { access_token } = await tokens(browser)
    service.clock.now -= 1000
    expect((await call(access_token, { maxAge: 300 }, 'courses:read')).status).toBe(401)
  })
})

describe('requiring()', () => {
  it.each([
    ['no demand', {}, 'acr or maxAge'],
    ['a class that the guard does not know', { acr: 'gold' }, '"gold"'],
    ['an age of 0, which no sign-in has', { maxAge: 0 }, 'maxAge'],
    ['a fraction', { maxAge: 1.5 }, 'maxAge'],
    ['an age that is no number', { maxAge: Number.NaN }, 'maxAge'],
  ])('refuses %s when the route is made', async (_, signIn, message) => {
    const { guard } = await openStepUp()
    expect(() => guard.requiring(signIn)).toThrow(message)
  })

  it('needs the classes of the server at the guard', () => {
    const options = { resource: ISSUER, store: createMemoryStore({}), scopes: SCOPES }
    expect(() => createResourceServer(options).requiring({ acr: 'mfa' })).toThrow('authenticationClasses')
    expect(() => createResourceServer({ ...options, authenticationClasses: ['a "quote"'] })).toThrow(
      'authenticationClasses',
    )
  })

  it('twice demands both: the stronger class and the shorter age', async () => {
    const { guard, token } = await withToken('mfa')
    const api = guard
      .requiring({ acr: 'phr' })
      .requiring({ acr: 'mfa', maxAge: 300 })
      .requiring({ maxAge: 600 })
    const { challenge } = await called(api.access(requestWith(token), 'courses:read'))
    expect(challenge).toContain('acr_values="phr", max_age="300"')
  })

  it('leaves the guard that it was called on as it was', async () => {
    const { guard, token } = await withToken('pwd')
    guard.requiring({ acr: 'phr' })
    expect((await called(guard.access(requestWith(token), 'courses:read'))).status).toBe(200)
  })
})

describe('a token of a program', () => {
  it('by client credentials never satisfies a demand, even where such tokens are allowed', async () => {
    const { service, guard } = await openStepUp({ server: { features: [clientCredentials()] } })
    const added = await service.server.clients.add({
      ...{ clientName: 'Job', redirectUris: [], grantTypes: ['client_credentials'] },
      ...{ tokenEndpointAuthMethod: 'client_secret_post', clientCredentialsScopes: ['courses:read'] },
    })
    const form = { ...credentials(added), grant_type: 'client_credentials', scope: 'courses:read' }
    const { access_token } = bodyOf<TokenAnswer>(await requestToken(service, form))
    const open = guard.allowing({ clientCredentials: true })
    for (const api of [open, open.allowing({ personalTokens: true })])
      expect((await called(api.access(requestWith(access_token), 'courses:read'))).status).toBe(200)
    for (const signIn of [{ acr: 'pwd' }, { maxAge: 9999 }]) {
      const answer = await called(open.requiring(signIn).access(requestWith(access_token), 'courses:read'))
      expect(answer.status).toBe(401)
      expect(answer.challenge).toContain('insufficient_user_authentication')
    }
  })

  it('that is personal is refused with 403, unless the route allows it, and never satisfies a demand', async () => {
    const { guard, token } = await asPersonal()
    const refused = await called(guard.access(requestWith(token), 'courses:read'))
    expect(refused.status).toBe(403)
    expect(refused.challenge).toContain('insufficient_scope')
    const open = guard.allowing({ personalTokens: true })
    expect(await open.access(requestWith(token), 'courses:read')).toMatchObject({
      kind: 'authorized',
      token: { subject: 'alice', personal: true },
    })
    const strict = open.requiring({ maxAge: 9999 })
    expect((await called(strict.access(requestWith(token), 'courses:read'))).status).toBe(401)
  })

  it('of either kind is allowed by a route that allows both, in any order of calls', async () => {
    const { guard, token } = await asPersonal()
    const both = [
      guard.allowing({ clientCredentials: true, personalTokens: true }),
      guard.allowing({ personalTokens: true }).allowing({ clientCredentials: true }),
      guard.allowing({ clientCredentials: true }).allowing({ personalTokens: true }),
    ]
    for (const api of both)
      expect((await called(api.access(requestWith(token), 'courses:read'))).status).toBe(200)
    const other = guard.allowing({ clientCredentials: true })
    expect((await called(other.access(requestWith(token), 'courses:read'))).status).toBe(403)
  })
})

/** A token whose grant is one of a personal access token. */
async function asPersonal() {
  const open = await withToken('phr')
  const { grants } = open.service.store
  const [grant] = (await grants.list({ subject: 'alice' }, { limit: 1 })).grants
  const found = grant && (await grants.find(grant.id))
  if (found === undefined) throw new Error('There is no grant')
  await grants.replace(found.value.id, found, { ...found.value, origin: 'personal' }, found.value.expiresAt)
  return open
}

describe('a guard without the store', () => {
  it('decides by the claims of the token', async () => {
    const features = [jwtAccessTokens({ resources: { [ISSUER]: {} } })]
    const open = await openStepUp({ server: { features, resources: [ISSUER] } })
    const { access_token } = await open.tokens(open.signedIn('mfa'), { resource: ISSUER })
    const api = createJwtResourceServer({
      ...{ issuer: ISSUER, resource: ISSUER, scopes: SCOPES, authenticationClasses: CLASSES },
      keys: { keys: await publicKeys(open) },
      now: () => open.service.clock.now,
    })
    const status = async (signIn: object) =>
      (await called(api.requiring(signIn).access(requestWith(access_token), 'courses:read'))).status
    expect(await status({ acr: 'mfa', maxAge: 60 })).toBe(200)
    expect(await status({ acr: 'phr' })).toBe(401)
    open.service.clock.now += 61
    expect(await status({ maxAge: 60 })).toBe(401)
  })
})

async function publicKeys({ service }: StepUpService) {
  const { keys } = bodyOf<{ keys: [] }>(await service.send('GET', '/api/oauth/jwks'))
  return keys
}

it('the challenge of a guard with proofs has the demands in the scheme that was tried', async () => {
  const { service, token } = await withToken('pwd')
  const api = createResourceServer({
    ...{ resource: ISSUER, store: service.store, scopes: SCOPES, authenticationClasses: CLASSES },
    ...{ proofs: dpopProofs({ secret: 'a secret of the tests, long enough to pass' }) },
    now: () => service.clock.now,
  })
  const { challenge } = await called(api.requiring({ acr: 'phr' }).access(requestWith(token), 'courses:read'))
  expect(challenge).toMatch(/^Bearer error="insufficient_user_authentication".*acr_values="phr".*, DPoP /)
})

describe('a gateway', () => {
  const verify = ({ service }: StepUpService, token: string, query: string) =>
    service.send('GET', '/api/oauth/verify', { query, headers: { authorization: `Bearer ${token}` } })
  const gateway = (options: ForwardAuthOptions = {}) => ({ server: { features: [forwardAuth(options)] } })

  it('demands a class and an age next to the scope', async () => {
    const open = await withToken('mfa', gateway())
    const status = async (query: string) => (await verify(open, open.token, query)).status
    expect(await status('scope=courses:read&acr_values=mfa&max_age=300')).toBe(200)
    expect(await status('scope=courses:read&acr_values=phr')).toBe(401)
    open.service.clock.now += 301
    expect(await status('max_age=300')).toBe(401)
    const { headers } = await verify(open, open.token, 'scope=courses:read&acr_values=phr&max_age=300')
    expect(headers['www-authenticate']).toContain('acr_values="phr", max_age="300", scope="courses:read"')
  })

  it.each([
    'acr_values=gold',
    'acr_values=mfa+phr',
    'acr_values=mfa&acr_values=phr',
    'max_age=0',
    'max_age=x',
  ])('that demands %s, which does not exist, lets nobody in', async (query) => {
    const open = await withToken('phr', gateway())
    expect((await verify(open, open.token, query)).status).toBe(403)
    expect(open.service.events.at(-1)).toMatchObject({ reason: 'verify_sign_in_unknown' })
  })
})
