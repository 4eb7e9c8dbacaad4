import { clientAssertion } from '@grantkit/core/client-assertion'
import { dpop } from '@grantkit/core/dpop'
import { JWT_BEARER, jwtBearer } from '@grantkit/core/jwt-bearer'
import { describe, expect, it } from 'vitest'
import { IDP, idJag, MCP, openForOrganization, present, RULE, TRUST } from './assertions.ts'
import { bodyOf, credentials, register, type TokenAnswer } from './client.ts'
import { provingKey } from './dpop-key.ts'
import { proven } from './dpop-service.ts'
import { ISSUER, openService, SCOPES, type Service } from './service.ts'
import { assertionForm, assertionOf, newKey } from './signed-assertions.ts'

/** Enterprise-Managed Authorization: what an ID-JAG gives. Attacks are in `id-jag-attacks.test.ts`. */

const tokenOf = async (...presented: Parameters<typeof present>) =>
  (await present(...presented)).body as unknown as TokenAnswer

async function listed({ server }: Service, subject = 'alice') {
  return (await server.grants.list(subject)).grants
}

describe('an ID-JAG of a trusted issuer', () => {
  it('gives a bearer token for its user, scopes and resource, without refresh token and ID token', async () => {
    const { service, assistant } = await openForOrganization()
    const { status, body, headers } = await present(service, await idJag(service, assistant), assistant)
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      access_token: expect.stringMatching(/^gka_/),
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'courses:read courses:write',
    })
  })

  it('gives a token that the guard of its resource alone accepts, for the user', async () => {
    const { service, assistant } = await openForOrganization({ trust: { resources: undefined } })
    const elsewhere = await tokenOf(service, await idJag(service, assistant), assistant)
    expect((await service.callApi(elsewhere.access_token, 'courses:read')).kind).toBe('refused')
    const claims = { resource: ISSUER }
    const here = await tokenOf(service, await idJag(service, assistant, { claims }), assistant)
    expect(await service.callApi(here.access_token, 'courses:read')).toMatchObject({
      token: { subject: 'alice', clientId: assistant.clientId, resources: [ISSUER] },
    })
  })

  it('is accepted as client_secret_basic and private_key_jwt send the credentials', async () => {
    const key = await newKey()
    const client = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.jwk] } }
    const { service, assistant } = await openForOrganization({ client, features: [clientAssertion()] })
    const proof = assertionForm(await assertionOf(service, key, assistant.clientId))
    expect((await present(service, await idJag(service, assistant), undefined, proof)).status).toBe(200)
  })

  it('drops openid and offline_access', async () => {
    const { service, assistant } = await openForOrganization()
    const claims = { scope: 'openid offline_access courses:read' }
    const { body } = await present(service, await idJag(service, assistant, { claims }), assistant)
    expect(body).toMatchObject({ scope: 'courses:read' })
    expect(body).not.toHaveProperty('id_token')
  })

  it.each<[string, object, object, string]>([
    ['the claim', { scope: 'courses:read students:read' }, {}, 'courses:read'],
    ['the request', {}, { scope: 'courses:write openid' }, 'courses:write'],
    ['the trust, without a claim', { scope: undefined }, {}, 'courses:read courses:write'],
    ['the request, without a claim', { scope: undefined }, { scope: 'courses:write' }, 'courses:write'],
  ])('gives no more scopes than %s', async (_, claims, form, scope) => {
    const { service, assistant } = await openForOrganization()
    const assertion = await idJag(service, assistant, { claims: { ...claims } })
    expect((await present(service, assertion, assistant, { ...form })).body).toMatchObject({ scope })
  })

  it('gives no more scopes than the client has registered', async () => {
    const { service, assistant } = await openForOrganization({ client: { scopes: ['courses:read'] } })
    const { body } = await present(service, await idJag(service, assistant), assistant)
    expect(body).toMatchObject({ scope: 'courses:read' })
  })

  it('without a resource is for the only one of its trust, or for the requested one', async () => {
    const claims = { resource: undefined }
    const one = await openForOrganization()
    const bound = await present(
      one.service,
      await idJag(one.service, one.assistant, { claims }),
      one.assistant,
    )
    expect(bound.status).toBe(200)
    expect((await listed(one.service))[0]?.resources).toEqual([MCP])
    const { service, assistant } = await openForOrganization({ trust: { resources: undefined } })
    const answer = (form = {}) =>
      idJag(service, assistant, { claims }).then((jag) => present(service, jag, assistant, form))
    expect(await answer()).toMatchObject({ status: 400, error: 'invalid_target', reason: 'jwt_grant_target' })
    expect((await answer({ resource: MCP })).status).toBe(200)
  })

  it('for several resources gives the requested one', async () => {
    const { service, assistant } = await openForOrganization({ trust: { resources: undefined } })
    const assertion = await idJag(service, assistant, { claims: { resource: [ISSUER, MCP] } })
    await present(service, assertion, assistant, { resource: MCP })
    expect((await listed(service))[0]?.resources).toEqual([MCP])
  })

  it('keeps no class of a sign-in unless the trust says so: each issuer names its own', async () => {
    const { service, assistant } = await openForOrganization()
    await present(service, await idJag(service, assistant, { claims: { acr: 'phr' } }), assistant)
    expect((await listed(service))[0]?.acr).toBeUndefined()
  })

  it('is refused if its user signed in in the future, and its clock may be a minute ahead', async () => {
    const { service, assistant } = await openForOrganization()
    const { now } = service.clock
    const at = async (auth_time: number) =>
      present(service, await idJag(service, assistant, { claims: { auth_time } }), assistant)
    for (const auth_time of [1000 * now, now + 61])
      expect(await at(auth_time)).toMatchObject({ status: 400, reason: 'jwt_grant_claims' })
    expect((await at(now + 60)).status).toBe(200)
    expect((await listed(service))[0]).toMatchObject({ authTime: now })
  })

  it('keeps the time and the way of the sign-in, and who acts, with the grant', async () => {
    const { service, assistant } = await openForOrganization({ trust: { trustAcr: true } })
    const claims = { auth_time: service.clock.now - 60.5, acr: 'phr', amr: ['hwk'], act: { sub: 'agent-7' } }
    await present(service, await idJag(service, assistant, { claims }), assistant)
    expect((await listed(service))[0]).toMatchObject({
      origin: 'assertion',
      authTime: service.clock.now - 61,
      ...{ acr: 'phr', amr: ['hwk'] },
      authority: { issuer: IDP, subject: 'U019488227', actor: 'agent-7' },
    })
    expect(service.events).toContainEqual({
      type: 'assertion_exchanged',
      grantId: expect.any(String),
      clientId: assistant.clientId,
      ...{ subject: 'alice', issuer: IDP, assertedSubject: 'U019488227', actor: 'agent-7' },
    })
  })

  it('gives a DPoP-bound token with a proof, and is bound to a key itself by cnf', async () => {
    const options = { resources: [ISSUER, { resource: MCP, dpop: 'required' as const }] }
    const trust = { resources: undefined }
    const { service, assistant } = await openForOrganization({ features: [dpop()], trust, options })
    const unbound = await present(service, await idJag(service, assistant), assistant)
    expect(unbound.reason, 'for a resource that requires a proof').toBe('resource_needs_proof')
    const key = provingKey()
    const path = '/api/oauth/token'
    const send = async (assertion: string, by = key) => {
      const form = { grant_type: JWT_BEARER, assertion, ...credentials(assistant) }
      return service.send('POST', path, { form, headers: proven(service, path, {}, by) })
    }
    const resource = ISSUER
    const claims = { resource, cnf: { jkt: key.thumbprint } }
    const bound = bodyOf(await send(await idJag(service, assistant, { claims: { resource } })))
    expect(bound).toMatchObject({ token_type: 'DPoP' })
    expect((await service.callApi(String(bound.access_token))).kind, 'without a proof').toBe('refused')
    expect(bodyOf(await send(await idJag(service, assistant, { claims })))).toMatchObject({
      token_type: 'DPoP',
    })
    const other = await send(await idJag(service, assistant, { claims }), provingKey())
    expect(bodyOf(other)).toMatchObject({ error: 'invalid_grant' })
    const without = await present(service, await idJag(service, assistant, { claims }), assistant)
    expect(without).toMatchObject({ error: 'invalid_grant', reason: 'jwt_grant_key' })
  })
})

describe('a grant by an ID-JAG', () => {
  it('is ended by its user, by its client and by the operator', async () => {
    const { service, assistant } = await openForOrganization({ trust: { resources: [ISSUER] } })
    const claims = { resource: ISSUER }
    const next = async () => tokenOf(service, await idJag(service, assistant, { claims }), assistant)
    const state = async ({ access_token }: TokenAnswer) => (await service.callApi(access_token)).kind

    const byUser = await next()
    await service.server.grants.revoke('alice', (await listed(service))[0]?.id ?? '')
    expect(await state(byUser)).toBe('refused')

    const byClient = await next()
    const form = { token: byClient.access_token, ...credentials(assistant) }
    await service.send('POST', '/api/oauth/revoke', { form })
    expect(await state(byClient)).toBe('refused')

    const byOperator = await next()
    expect(await service.server.grants.endOf({ issuer: IDP, subject: 'somebody else' })).toBe(0)
    expect(await service.server.grants.endOf({ issuer: 'https://other.example' })).toBe(0)
    expect(await service.server.grants.endOf({ issuer: IDP, subject: 'U019488227' })).toBe(1)
    expect(await state(byOperator)).toBe('refused')
    expect(await service.server.grants.endOf({ issuer: IDP })).toBe(0)
  })

  it('of a shared issuer ends with its organization, and no subject alone ends the people of others', async () => {
    const counted: string[] = []
    const rateLimiter = {
      async take(limit: string, key: string) {
        if (limit === 'jwt_bearer') counted.push(key)
        return 0
      },
    }
    const options = { rateLimiter }
    const { service, assistant } = await openForOrganization({ trust: { tenants: true }, options })
    for (const tenant of ['a', 'b', 'c'])
      await tokenOf(service, await idJag(service, assistant, { claims: { tenant } }), assistant)
    expect(new Set(counted).size, 'each user has a limit of its own').toBe(3)
    const user = { issuer: IDP, subject: 'U019488227' }
    expect(await service.server.grants.endOf(user)).toBe(0)
    expect(await service.server.grants.endOf({ ...user, tenant: 'a' })).toBe(1)
    expect(await service.server.grants.endOf({ issuer: IDP, tenant: 'b' })).toBe(1)
    expect(await listed(service)).toHaveLength(1)
    expect(await service.server.grants.endOf({ issuer: IDP })).toBe(1)
  })

  it.each([1, 3600])('ends with its token, and lives as long as the trust says: %d s', async (lifetime) => {
    const options = { lifetimes: { accessToken: 600 } }
    const { service, assistant } = await openForOrganization({ trust: { lifetime }, options })
    const { expires_in } = await tokenOf(service, await idJag(service, assistant), assistant)
    expect(expires_in).toBe(lifetime)
    service.clock.now += lifetime
    expect(await listed(service)).toEqual([])
  })

  it('counts for the limit of grants of its user', async () => {
    const { service, assistant } = await openForOrganization({ options: { maxGrantsPerClient: 1 } })
    for (let time = 0; time < 2; time++) await tokenOf(service, await idJag(service, assistant), assistant)
    expect(await listed(service)).toHaveLength(1)
  })
})

describe('the user of an ID-JAG', () => {
  it('is who subjectOf finds by issuer and subject; nobody gets no token', async () => {
    const { service, assistant } = await openForOrganization()
    const claims = { sub: 'somebody' }
    expect(await present(service, await idJag(service, assistant, { claims }), assistant)).toMatchObject({
      ...{ status: 400, error: 'invalid_grant', reason: 'jwt_grant_subject' },
    })
  })

  it('who is disabled gets no more tokens', async () => {
    const active = new Set(['alice'])
    const subjectOf = async () => (active.has('alice') ? 'alice' : undefined)
    const { service, assistant } = await openForOrganization({ subjectOf })
    expect((await present(service, await idJag(service, assistant), assistant)).status).toBe(200)
    active.clear()
    await service.server.grants.revokeAll('alice')
    expect(await listed(service)).toEqual([])
    expect((await present(service, await idJag(service, assistant), assistant)).error).toBe('invalid_grant')
  })

  it('of a shared issuer is known by tenant too, which must be there', async () => {
    const asked: unknown[] = []
    const subjectOf = async (user: object) => {
      asked.push(user)
      return 'alice'
    }
    const { service, assistant } = await openForOrganization({ trust: { tenants: true }, subjectOf })
    const without = await present(service, await idJag(service, assistant), assistant)
    expect(without).toMatchObject({ error: 'invalid_grant', reason: 'jwt_grant_claims' })
    const claims = { tenant: 'tenant-b' }
    await present(service, await idJag(service, assistant, { claims }), assistant)
    expect(asked).toEqual([
      expect.objectContaining({
        issuer: IDP,
        subject: 'U019488227',
        tenant: 'tenant-b',
        clientId: assistant.clientId,
      }),
    ])
    const own = await openForOrganization({ subjectOf })
    await present(own.service, await idJag(own.service, own.assistant, { claims }), own.assistant)
    expect(asked[1], 'where the trust has no tenants').not.toHaveProperty('tenant')
  })

  it.each<[string, object, object, string | undefined]>([
    ['that is listed', { email: 'al@Acme.example', email_verified: true }, {}, 'al@Acme.example'],
    [
      'that is unverified',
      { email: 'a@acme.example', email_verified: false },
      { emailsVerified: true },
      undefined,
    ],
    ['without email_verified', { email: 'a@acme.example' }, {}, undefined],
    [
      'of an issuer that verifies all',
      { email: 'a@acme.example' },
      { emailsVerified: true },
      'a@acme.example',
    ],
    ['of another domain', { email: 'a@evil.example', email_verified: true }, {}, undefined],
    ['with two @', { email: 'a@evil.example@acme.example', email_verified: true }, {}, undefined],
    ['of a listed domain before another', { email: 'a@acme.example@x', email_verified: true }, {}, undefined],
    [
      'without a list',
      { email: 'a@acme.example', email_verified: true },
      { linkByEmail: undefined },
      undefined,
    ],
  ])('an e-mail address %s', async (_, claims, trust, expected) => {
    const asked: { linkableEmail?: string | undefined }[] = []
    const { service, assistant } = await openForOrganization({
      trust: { linkByEmail: { domains: ['other.example', 'ACME.example'] }, ...trust },
      async subjectOf(user) {
        asked.push(user)
        return undefined
      },
    })
    await present(service, await idJag(service, assistant, { claims: { ...claims } }), assistant)
    expect(asked.map(({ linkableEmail }) => linkableEmail)).toEqual([expected])
  })
})

describe('the metadata', () => {
  it('name the grant type and the profile, and no trusted issuer', async () => {
    const { service } = await openForOrganization()
    const answer = await service.send('GET', '/.well-known/oauth-authorization-server')
    expect(bodyOf(answer)).toMatchObject({
      grant_types_supported: expect.arrayContaining([JWT_BEARER]),
      authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    })
    expect(answer.body).not.toContain('okta')
  })

  it('name nothing of it when the feature is off, and the grant type is unknown', async () => {
    const service = openService()
    const answer = await service.send('GET', '/.well-known/oauth-authorization-server')
    expect(answer.body).not.toMatch(/jwt-bearer|authorization_grant_profiles/)
    const client = await register(service)
    const assertion = await idJag(service, client)
    expect((await present(service, assertion, client)).error).toBe('unsupported_grant_type')
  })
})

describe('a server does not start with', () => {
  const subjectOf = async () => 'alice'
  const trusting = (changed: object) => ({ idJag: { trusts: [{ ...TRUST, ...changed }], subjectOf } })
  const write = SCOPES['courses:write']
  const catalogues: Record<string, typeof SCOPES> = {
    'a scope that needs its user': { ...SCOPES, 'courses:write': { ...write, interactive: true } as never },
    'a restricted scope': { ...SCOPES, 'courses:write': { ...write, restricted: true } as never },
  }
  it.each<[string, object, RegExp]>([
    ['no trust', { idJag: { trusts: [], subjectOf } }, /needs idJag with trusts/],
    ['nothing at all', {}, /needs idJag with trusts or trustOf, or workloads/],
    [
      'no trust, next to workloads',
      { idJag: { trusts: [], subjectOf }, workloads: [{ ...RULE, client: 'job' }] },
      /idJag needs trusts/,
    ],
    ['two trusts of one issuer', { idJag: { trusts: [TRUST, TRUST], subjectOf } }, /two trusts/],
    ['a trust of itself', trusting({ issuer: ISSUER }), /does not trust itself/],
    ['a symmetric algorithm', trusting({ algorithms: ['HS256'] }), /algorithms/],
    ['the algorithm none', trusting({ algorithms: ['none'] }), /algorithms/],
    [
      'a symmetric algorithm next to another',
      trusting({ algorithms: ['RS256', 'HS256'] }),
      /algorithms must be some of ES256, EdDSA/,
    ],
    ['no algorithm', trusting({ algorithms: [] }), /algorithms must be/],
    ['no scope', trusting({ scopes: [] }), /the trust of https:\/\/acme.okta.com: scopes must not be empty/],
    ['no resource', trusting({ resources: [] }), /resources must be some of https:\/\/server.example, https/],
    ['an unknown scope', trusting({ scopes: ['courses:grade'] }), /courses:grade/],
    ['the scope openid', trusting({ scopes: ['openid'] }), /openid is no scope/],
    [
      'a scope that needs its user',
      { idJag: { trusts: [TRUST], subjectOf } },
      /only the user can allow courses:write/,
    ],
    [
      'a restricted scope',
      trusting({ scopes: ['courses:read', 'courses:write'] }),
      /only the user can allow courses:write/,
    ],
    ['an unknown resource', trusting({ resources: ['https://x.dev'] }), /resources/],
    ['tokens for a day', trusting({ lifetime: 86_400 }), /: lifetime must/],
    ['tokens that end at once', trusting({ lifetime: 0 }), /lifetime/],
    [
      'assertions for a second and a half',
      trusting({ maxAssertionLifetime: 1.5 }),
      /: maxAssertionLifetime must/,
    ],
    ['keys that it cannot fetch', trusting({ jwks: undefined }), /fetch/],
    ['no usable key', trusting({ jwks: { keys: [] } }), /no public key for ES256, RS256/],
  ])('%s', (situation, options, message) => {
    const scopes = catalogues[situation] ?? SCOPES
    expect(() => openService({ features: [jwtBearer(options)], scopes })).toThrow(message)
  })

  it('a store without transients', () => {
    const { store } = openService()
    const feature = jwtBearer({ idJag: { trusts: [TRUST], subjectOf } })
    const { transients: _, ...without } = store
    expect(() => openService({ features: [feature], store: without })).toThrow(/no transients/)
  })
})

it('the feature without workloads needs no public clients', () => {
  const feature = jwtBearer({ idJag: { trusts: [TRUST], subjectOf: async () => 'alice' } })
  openService({ features: [feature], clientAuthentication: ['client_secret_basic'] })
})
