import { dpop } from '@grantkit/core/dpop'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { personalTokens } from '@grantkit/core/personal-tokens'
import { describe, expect, it, vi } from 'vitest'
import type { Grant } from '../src/kernel/records.ts'
import { formatPersonalToken } from '../src/tokens/credential.ts'
import { bodyOf, codeFor, credentials, redeem, register, type TokenAnswer } from './client.ts'
import { DAY, MCP, openPersonal, PERSONAL_SCOPES, typesOf } from './personal-tokens-service.ts'
import { ISSUER, openService, REDIRECT_URI } from './service.ts'
import { TEST_KEYS } from './signing-keys.ts'

const refused = (reason: string, status = 400) => expect.objectContaining({ reason, status })

describe('a new personal access token', () => {
  it('PT-11: the text of a personal access token is neither in the store nor in an event', async () => {
    const { service, create } = openPersonal()
    const { text, token } = await create({ scopes: ['courses:write', 'courses:read'] })
    const { now } = service.clock
    expect(text).toMatch(new RegExp(`^gkp_${token.id}\\.[\\w-]{43}[0-9A-Za-z]{6}$`))
    expect(token).toEqual({
      ...{ id: token.id, label: 'CI', scopes: ['courses:read', 'courses:write'], resources: [ISSUER] },
      ...{ createdAt: now, expiresAt: now + 30 * DAY },
    })
    const grant = (await service.store.grants.find(token.id))?.value
    expect(grant).toMatchObject({ origin: 'personal', clientId: 'personal', subject: 'alice', label: 'CI' })
    expect(grant?.accessTokens).toHaveLength(1)
    expect(grant?.refresh).toBeUndefined()
    const secret = text.slice(text.indexOf('.') + 1, -6)
    expect(JSON.stringify([grant, service.events])).not.toContain(secret)
    expect(service.events).toContainEqual({
      ...{ type: 'personal_token_created', subject: 'alice', grantId: token.id, label: 'CI' },
      ...{ scopes: token.scopes, resources: token.resources, expiresAt: token.expiresAt },
    })
  })

  it.each([
    ['no label', { label: ' \u200b' }, 'personal_token_label'],
    ['a label of 61 characters', { label: 'x'.repeat(61) }, 'personal_token_label'],
    ['no scope', { scopes: [] }, 'personal_token_scope'],
    ['a scope that is not personal', { scopes: ['courses:read', 'students:read'] }, 'personal_token_scope'],
    ['the scope openid', { scopes: ['openid'] }, 'personal_token_scope'],
    ['no resource', { resources: [] }, 'personal_token_resource'],
    ['an unknown resource', { resources: ['https://other.example'] }, 'resource_unknown'],
    ['a longer lifetime', { lifetime: 366 * DAY + 1 }, 'personal_token_lifetime'],
    ['no end', { lifetime: 'endless' }, 'personal_token_lifetime'],
    ['a lifetime of one and a half seconds', { lifetime: 1.5 }, 'personal_token_lifetime'],
    ['a lifetime of none', { lifetime: 0 }, 'personal_token_lifetime'],
  ] as const)('is refused with %s: nothing is stored', async (_, differences, reason) => {
    const { create, tokens } = openPersonal()
    await expect(create(differences)).rejects.toEqual(refused(reason))
    expect(await tokens.list('alice')).toEqual([])
  })

  it('is refused for a resource that accepts only sender-constrained tokens', async () => {
    const resources = [ISSUER, { resource: MCP, dpop: 'required' as const }]
    const { create } = openPersonal({ server: { resources, features: [dpop()] } })
    await expect(create({ resources: [MCP] })).rejects.toEqual(refused('resource_needs_proof'))
  })

  it('has a label of 60 characters on one line, without invisible ones', async () => {
    const { create } = openPersonal()
    expect((await create({ label: '😀'.repeat(60) })).token.label).toBe('😀'.repeat(60))
    expect((await create({ label: ' a\n\u202eb ' })).token.label).toBe('a b')
  })

  it('PT-09: a personal access token has no end only where the operator allows that', async () => {
    const { create, service, call } = openPersonal({ tokens: { longest: 'endless' } })
    const { text, token } = await create({ lifetime: 'endless' })
    expect(token.expiresAt).toBeUndefined()
    service.clock.now += 5000 * DAY
    expect(await call(text)).toMatchObject({ kind: 'authorized' })
  })

  it('is refused above the limit of a user with 409, and other users are not affected', async () => {
    const { create, tokens, service } = openPersonal({ tokens: { perUser: 2 } })
    await create({ lifetime: DAY })
    await create({ lifetime: 2 * DAY })
    const inserted = vi.spyOn(service.store.grants, 'insert')
    await expect(create()).rejects.toEqual(refused('too_many_personal_tokens', 409))
    expect(inserted).not.toHaveBeenCalled()
    await create({ subject: 'bob' })
    service.clock.now += DAY
    await create()
    expect(await tokens.list('alice')).toHaveLength(2)
  })

  it('PT-10: no user has more personal access tokens than the limit, also when several are requested at once', async () => {
    const { create, tokens } = openPersonal({ tokens: { perUser: 3 } })
    await Promise.allSettled(Array.from({ length: 10 }, () => create()))
    expect((await tokens.list('alice')).length).toBeLessThanOrEqual(3)
  })

  it('of two requests at once for the last place, one gets it', async () => {
    const { create, tokens } = openPersonal({ tokens: { perUser: 2 } })
    await create()
    const both = await Promise.allSettled([create(), create()])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await tokens.list('alice')).toHaveLength(2)
  })
})

describe('the options of personalTokens', () => {
  it.each([
    [{ lifetime: 0 }, /lifetime must be a whole number/],
    [{ perUser: 1.5 }, /perUser must be a whole number/],
    [{ longest: DAY }, /lifetime is longer than longest/],
  ])('are refused as %j', (options, message) => {
    expect(() => personalTokens(options)).toThrow(message)
  })

  it.each([{ lifetime: 1, perUser: 1 }, { lifetime: DAY, longest: DAY }, { longest: 'endless' as const }])(
    'are accepted as %j',
    (options) => {
      expect(() => personalTokens(options)).not.toThrow()
    },
  )

  it('need a scope of the catalogue with `personal: true`, and never openid', () => {
    const open = (scopes: object) =>
      openService({ features: [personalTokens()], scopes: { ...PERSONAL_SCOPES, ...scopes } })
    const openid = { openid: { description: 'Sign you in', personal: true } }
    expect(() => open(openid)).toThrow('the scope openid cannot be personal')
    expect(() => openService({ features: [personalTokens()] })).toThrow('no scope of the catalogue')
  })

  it('show the scopes of the catalogue, once there is a server', () => {
    expect(openPersonal().tokens.scopes).toEqual(['courses:read', 'courses:write'])
    expect(() => personalTokens().scopes).toThrow('needs a server with this feature')
  })
})

describe('a personal access token at an API', () => {
  it('is accepted on a route for it, with its user and scopes', async () => {
    const { create, call } = openPersonal()
    const { text, token } = await create()
    expect(await call(text)).toMatchObject({
      kind: 'authorized',
      token: {
        subject: 'alice',
        clientId: 'personal',
        grantId: token.id,
        personal: true,
        scopes: token.scopes,
      },
    })
    expect(await call(text, { scope: 'courses:write' })).toMatchObject({ response: { status: 403 } })
  })

  it('PT-12: a route that does not allow personal access tokens refuses them with 403', async () => {
    const { create, callUserRoute, service } = openPersonal()
    const { text } = await create()
    expect(await callUserRoute(text)).toMatchObject({ kind: 'refused', response: { status: 403 } })
    expect(service.events).toContainEqual(expect.objectContaining({ reason: 'bearer_personal' }))
  })

  it('is refused at a resource that it is not for, and after its end', async () => {
    const { create, call, service } = openPersonal()
    const other = await create({ resources: [MCP] })
    expect(await call(other.text)).toMatchObject({ response: { status: 401 } })
    const { text } = await create()
    service.clock.now += 30 * DAY
    expect(await call(text)).toMatchObject({ response: { status: 401 } })
  })

  it('stays opaque where the server issues JWTs: the guard with the store reads it, one without refuses it', async () => {
    const features = [jwtAccessTokens({ resources: { [ISSUER]: {} } })]
    const { create, call, service } = openPersonal({ server: { features } })
    const { text } = await create()
    expect(await call(text)).toMatchObject({ kind: 'authorized' })
    const guard = createJwtResourceServer({
      ...{ issuer: ISSUER, resource: ISSUER, scopes: PERSONAL_SCOPES, now: () => service.clock.now },
      keys: { keys: TEST_KEYS },
    })
    const headers = { authorization: `Bearer ${text}` }
    const request = { method: 'GET', path: '/', query: '', body: '', headers }
    expect(await guard.allowing({ personalTokens: true }).access(request)).toMatchObject({
      response: { status: 401 },
    })
  })
})

describe('the personal access tokens of a user', () => {
  it('are listed, the newest first, without those that have ended and without other grants', async () => {
    const { create, tokens, service } = openPersonal()
    const client = await register(service)
    await redeem(service, client, await codeFor(service, client.clientId))
    const labels = []
    for (const label of ['a', 'b', 'c']) {
      service.clock.now += 1
      await create({ label, lifetime: label === 'b' ? 1 : DAY })
    }
    await create({ subject: 'bob' })
    service.clock.now += 1
    for (const { label } of await tokens.list('alice')) labels.push(label)
    expect(labels).toEqual(['c', 'a'])
  })

  it('are listed from every page of the store, without what has ended since, and without grants of an app', async () => {
    const { create, tokens, service } = openPersonal()
    const [kept, ended] = [await create(), await create({ lifetime: 10 })]
    const [stored, late] = await Promise.all(
      [kept, ended].map(async ({ token }) => (await service.store.grants.find(token.id))?.value as Grant),
    )
    const pages = [late, { ...stored, origin: undefined }, stored] as Grant[]
    vi.spyOn(service.store.grants, 'list').mockImplementation(async (_, { after = 0 }) => ({
      grants: pages.slice(Number(after), Number(after) + 1),
      next: Number(after) < 2 ? String(Number(after) + 1) : undefined,
    }))
    service.clock.now += 10
    expect(await tokens.list('alice')).toEqual([kept.token])
  })

  it('are in the list of grants with the client `personal` and their label', async () => {
    const { create, service } = openPersonal()
    await create()
    const { grants } = await service.server.grants.list('alice')
    expect(grants).toMatchObject([
      {
        origin: 'personal',
        label: 'CI',
        client: { clientId: 'personal', clientName: 'Personal access token' },
      },
    ])
  })

  it('end one by one', async () => {
    const { create, tokens, call, service } = openPersonal()
    const { text, token } = await create()
    expect(await tokens.end('alice', token.id)).toBe(true)
    expect(await call(text)).toMatchObject({ response: { status: 401 } })
    expect(await tokens.end('alice', token.id)).toBe(false)
    const ids = { subject: 'alice', grantId: token.id }
    expect(service.events).toContainEqual({
      type: 'personal_token_ended',
      ...ids,
      label: 'CI',
      reason: 'user',
    })
    expect(service.events).toContainEqual(
      expect.objectContaining({ type: 'grant_revoked', ...ids, by: 'user' }),
    )
  })

  it('PT-13: the personal access tokens of a user end with all grants of the user', async () => {
    const { create, tokens, call, service } = openPersonal()
    const made = await Promise.all([create(), create(), create({ subject: 'bob' })])
    expect(await service.server.grants.revokeAll('alice')).toBe(2)
    expect(await tokens.list('alice')).toEqual([])
    const calls = await Promise.all(made.map(({ text }) => call(text)))
    expect(calls.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'authorized'])
  })

  it('all end with the client `personal`, which the operator can remove at any time', async () => {
    const { create, call, service } = openPersonal()
    const { text } = await create()
    expect(await service.server.clients.remove('personal')).toMatchObject({ grantsEnded: 1 })
    expect(await call(text)).toMatchObject({ response: { status: 401 } })
    expect(await call((await create()).text)).toMatchObject({ kind: 'authorized' })
  })
})

describe('a report of leaked tokens', () => {
  it('ends the live ones and says whose they were', async () => {
    const { create, tokens, call, service } = openPersonal()
    const [leaked, kept, dead] = [await create({ label: 'leaked' }), await create(), await create()]
    await tokens.end('alice', dead.token.id)
    const forged = `${leaked.text.slice(0, 30)}${'x'.repeat(leaked.text.length - 30)}`
    expect(await tokens.endLeaked([leaked.text, leaked.text, dead.text, forged, 'gka_x', ''])).toEqual([
      { subject: 'alice', id: leaked.token.id, label: 'leaked' },
    ])
    expect(await call(leaked.text)).toMatchObject({ response: { status: 401 } })
    expect(await call(kept.text)).toMatchObject({ kind: 'authorized' })
    expect(service.events).toContainEqual({ type: 'personal_tokens_leaked', reported: 6, ended: 1 })
    const ids = { subject: 'alice', grantId: leaked.token.id }
    for (const event of [
      { type: 'personal_token_ended', reason: 'leaked', label: 'leaked', ...ids },
      { type: 'grant_revoked', by: 'operator', ...ids },
    ])
      expect(service.events).toContainEqual(expect.objectContaining(event))
  })

  it('ends nothing for a token of an app in the form of a personal one, or an id that does not exist', async () => {
    const { create, tokens, service } = openPersonal()
    const client = await register(service)
    const { access_token } = bodyOf<TokenAnswer>(
      await redeem(service, client, await codeFor(service, client.clientId)),
    )
    const grantId = service.server.accessTokens.grantIdOf(access_token)
    const secret = access_token.slice(access_token.indexOf('.') + 1)
    const unknown = (await create()).token.id.replace(/./g, 'A')
    const texts = [grantId, unknown].map((id) => formatPersonalToken({ grantId: id, secret } as never))
    expect(await tokens.endLeaked(texts)).toEqual([])
    const grant = await service.store.grants.find(String(grantId))
    expect(grant?.value.accessTokens).toHaveLength(1)
  })

  it('PT-14: a report of leaked tokens ends no token of which it has only the id', async () => {
    const { create, tokens, call } = openPersonal()
    const { text, token } = await create()
    const other = await create({ subject: 'bob' })
    const secret = other.text.slice(other.text.indexOf('.') + 1, -6)
    const guess = formatPersonalToken({ grantId: token.id, secret } as never)
    expect(await tokens.endLeaked([guess])).toEqual([])
    expect(await call(text)).toMatchObject({ kind: 'authorized' })
  })
})

describe('introspection and revocation of a personal access token', () => {
  it('introspection shows it to a resource server, and to no other client', async () => {
    const { create, service } = openPersonal()
    const { text } = await create()
    const common = { redirectUris: [REDIRECT_URI], tokenEndpointAuthMethod: 'client_secret_post' }
    const api = await service.server.clients.add({ ...common, clientName: 'API', resourceServer: true })
    const other = await service.server.clients.add({ ...common, clientName: 'Other' })
    const introspect = async (client: typeof api) =>
      bodyOf<TokenAnswer>(
        await service.send('POST', '/api/oauth/introspect', {
          form: { token: text, ...credentials(client) },
        }),
      )
    expect(await introspect(api)).toMatchObject({
      ...{ active: true, sub: 'alice', client_id: 'personal', scope: 'courses:read', aud: ISSUER },
      // So that an API can refuse it, as a guard does.
      personal: true,
    })
    expect(await introspect(other)).toEqual({ active: false })
  })

  it('its holder may revoke it as the client `personal`, and no other client may', async () => {
    const { create, service, call, tokens } = openPersonal()
    const { text } = await create()
    const client = await register(service)
    const revoke = (form: Record<string, string>) =>
      service.send('POST', '/api/oauth/revoke', { form: { token: text, ...form } })
    expect((await revoke(credentials(client))).status).toBe(400)
    expect(await call(text)).toMatchObject({ kind: 'authorized' })
    expect((await revoke({ client_id: 'personal' })).status).toBe(200)
    expect(await call(text)).toMatchObject({ response: { status: 401 } })
    expect(await tokens.list('alice')).toEqual([])
    expect(typesOf(service)).toContain('access_token_revoked')
  })
})
