import { clientAssertion } from '@grantkit/core/client-assertion'
import { logout } from '@grantkit/core/logout'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { bodyOf, codeFor, redeem, refresh, register, type TokenAnswer, tokensFor } from './client.ts'
import { CHATGPT, openKnown } from './known-client-service.ts'
import { openService, REDIRECT_URI } from './service.ts'

/** The operator changes a static client. */

const HTTPS = 'https://portal.example/cb'
const STAYS = 'a client stays public or confidential'

async function withClient(metadata: object = {}, service = openService()) {
  const client = await service.server.clients.add({
    clientName: 'Portal',
    redirectUris: [REDIRECT_URI, HTTPS],
    ...metadata,
  })
  const { clients } = service.server
  const { clientId, clientSecret } = client
  async function update(changes: object) {
    const seen = await clients.find(clientId)
    if (seen === undefined) throw new Error('The client is gone')
    return clients.update(clientId, changes, { seen })
  }
  return { service, clients, client: { clientId, clientSecret }, update }
}

const { publicKey } = await generateKeyPair('ES256', { extractable: true })
const BY_KEYS = {
  tokenEndpointAuthMethod: 'private_key_jwt',
  jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] },
}
const withAssertions = () => openService({ features: [clientAssertion()] })

describe('clients.update', () => {
  it('changes what it names, keeps the rest, and says which members changed', async () => {
    const { service, clients, client, update } = await withClient({
      scopes: ['courses:read'],
      softwareId: 's',
    })
    const before = await clients.find(client.clientId)
    const after = await update({ clientName: 'Gate', contacts: ['ops@portal.example'], softwareId: 's' })
    expect(after).toEqual({ ...before, clientName: 'Gate', contacts: ['ops@portal.example'] })
    expect(await clients.find(client.clientId)).toEqual(after)
    const { clientId } = client
    expect(service.events.at(-1)).toEqual({
      type: 'client_changed',
      clientId,
      members: ['clientName', 'contacts'],
    })
    expect(await refresh(service, client, 'x'), 'the secret stays').toMatchObject({ status: 400 })
  })

  it('says what redirect URIs and scopes were and are, so that an operator can undo it, and no other value', async () => {
    const { service, update } = await withClient({ scopes: ['courses:read'], contacts: ['a@b.example'] })
    const before = { redirectUris: [REDIRECT_URI, HTTPS], scopes: ['courses:read'] }
    const after = { redirectUris: ['https://other.example/cb'], scopes: null }
    await update({ ...after, contacts: ['c@d.example'] })
    expect(service.events.at(-1)).toMatchObject({ type: 'client_changed', before, after })
    expect(service.events.at(-1)).not.toMatchObject({ after: { contacts: expect.anything() } })
  })

  it('writes nothing and tells nothing if nothing changes', async () => {
    const { service, client, update } = await withClient({ scopes: ['courses:read'] })
    const stored = await service.store.clients.find(client.clientId)
    await update({ clientName: 'Portal', scopes: undefined, clientId: undefined })
    expect(await service.store.clients.find(client.clientId)).toEqual(stored)
    expect(service.events.map(({ type }) => type)).toEqual(['client_added'])
  })

  it('removes an optional member, and resets one with a default', async () => {
    const { update } = await withClient({
      scopes: ['courses:read'],
      clientUri: 'https://portal.example/',
      rememberConsent: true,
      pkceOptional: true,
    })
    const after = await update({ scopes: null, clientUri: null, rememberConsent: null, pkceOptional: null })
    expect(after).not.toHaveProperty('scopes')
    expect(after).not.toHaveProperty('clientUri')
    expect(after).not.toHaveProperty('pkceOptional')
    expect(after).toMatchObject({ rememberConsent: false })
  })

  it('changes the members of features, and keeps the others of them', async () => {
    const ending = { endSession: async () => '', logoutPage: () => ok, signedOutPage: () => ok }
    const ok = { status: 200, headers: {}, body: '' }
    const service = openService({ features: [logout(ending)] })
    const uris = { postLogoutRedirectUris: ['https://portal.example/out'] }
    const { update, client } = await withClient({ ...uris, idTokenClaims: true }, service)
    expect(await update({ idTokenClaims: null })).toMatchObject(uris)
    const gone = await update({ postLogoutRedirectUris: null })
    expect(gone).not.toHaveProperty('postLogoutRedirectUris')
    const stored = await service.store.clients.find(client.clientId)
    expect(stored?.value).not.toHaveProperty('featureMetadata')
  })

  it('changes one member of a client whose redirect URIs a newer policy would refuse', async () => {
    const { store, server } = openService({ redirectUriPolicy: (uris) => ({ accepted: uris }) })
    const own = { clientName: 'Own', redirectUris: ['http://intranet.example/cb'] }
    const { clientSecret: _, ...seen } = await server.clients.add(own)
    const { clients } = openService({ store }).server
    expect(await clients.update(seen.clientId, { clientName: 'Gate' }, { seen })).toMatchObject({
      clientName: 'Gate',
    })
    const late = await clients.find(seen.clientId)
    if (late === undefined) throw new Error('The client is gone')
    const more = { redirectUris: [...own.redirectUris, REDIRECT_URI] }
    await expect(clients.update(seen.clientId, more, { seen: late })).rejects.toMatchObject({ status: 400 })
  })

  it('keeps members that a server with other features stored', async () => {
    const { service, client, update } = await withClient()
    const stored = await service.store.clients.find(client.clientId)
    if (stored === undefined) throw new Error('The client is gone')
    const grantTypes = ['authorization_code', 'urn:example:other']
    const featureMetadata = { badge_colour: 'red' }
    const other = { ...stored.value, grantTypes, featureMetadata, rememberConsent: undefined }
    await service.store.clients.replace(client.clientId, stored, other, other.expiresAt)
    expect(await update({ clientName: 'Gate' })).toMatchObject({ grantTypes, badgeColour: 'red' })
    const changed = await service.store.clients.find(client.clientId)
    expect(changed?.value).toEqual({ ...other, clientName: 'Gate' })
  })

  it.each<[string, object, object]>([
    ['the name of a public client', { tokenEndpointAuthMethod: 'none' }, { clientName: 'Gate' }],
    ['the name of a client with keys', BY_KEYS, { clientName: 'Gate' }],
    ['the name of a client with an exception', { rememberConsent: true }, { clientName: 'Gate' }],
    ['the name of a known client', { redirectUris: [CHATGPT] }, { clientName: 'Gate' }],
    [
      'the other way to send its secret',
      { tokenEndpointAuthMethod: 'client_secret_post' },
      { tokenEndpointAuthMethod: 'client_secret_basic' },
    ],
  ])('changes nothing else in the record: %s', async (_, metadata, changes) => {
    const service = openKnown({}, { features: [clientAssertion()] })
    const { client, update } = await withClient(metadata, service)
    const before = await service.store.clients.find(client.clientId)
    await update(changes)
    const after = await service.store.clients.find(client.clientId)
    expect(after?.value).toEqual({ ...before?.value, ...changes })
  })

  it.each<[object, string]>([
    [{ applicationType: null }, 'native'],
    [{ applicationType: null, redirectUris: [REDIRECT_URI, HTTPS] }, 'web'],
    [{ redirectUris: [HTTPS] }, 'native'],
  ])('of a native client to %j makes it %s: its type changes only by name', async (changes, type) => {
    const { update } = await withClient({ redirectUris: [REDIRECT_URI] })
    expect(await update({ ...changes, clientName: 'New' })).toMatchObject({ applicationType: type })
  })

  it('CS-08: of two changes of the same state of a client one is made', async () => {
    const { service, clients, client } = await withClient()
    const seen = await clients.find(client.clientId)
    if (seen === undefined) throw new Error('The client is gone')
    const change = (clientName: string) => clients.update(client.clientId, { clientName }, { seen })
    const results = await Promise.allSettled([change('One'), change('Two')])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const late = change('Three')
    await expect(late).rejects.toMatchObject({ status: 409, reason: 'client_changed_meanwhile' })
    expect(service.events.filter(({ type }) => type === 'client_changed')).toHaveLength(1)
  })

  it('takes a client that was seen through JSON, in any order of its members', async () => {
    const { clients, client } = await withClient()
    const seen = Object.entries((await clients.find(client.clientId)) ?? {}).reverse()
    const copy = JSON.parse(JSON.stringify(Object.fromEntries(seen)))
    await expect(
      clients.update(client.clientId, { clientName: 'Gate' }, { seen: copy }),
    ).resolves.toBeDefined()
  })

  it.each<[string, object, string?]>([
    ['its id', { clientId: 'another' }],
    ['its origin', { origin: 'document' }],
    ['its secret', { secretHash: 'x' }],
    ['the mark of a known client', { knownClient: 'cursor' }],
    ['a member of every object', { constructor: 'x' }],
    ['a confidential client to a public one', { tokenEndpointAuthMethod: 'none' }, STAYS],
    ['its method to one that the server lacks', { tokenEndpointAuthMethod: 'private_key_jwt' }],
    ['its name to nothing', { clientName: null }],
    ['the end of its record', { expiresAt: 1 }, 'expiresAt: no member that can be changed'],
    ['its redirect URIs to none', { redirectUris: [] }, 'redirectUris must not be empty'],
    ['a redirect URI to one of a browser', { redirectUris: ['javascript:alert(1)'] }],
    ['a redirect URI to one with a code', { redirectUris: ['https://portal.example/?code=1'] }],
    ['its scopes to unknown ones', { scopes: ['no:such'] }],
    ['its grant types to unknown ones', { grantTypes: ['no_such'] }],
  ])(
    'CS-09: a change that a client may never have, or that clients.add would refuse, leaves it as it is: %s',
    async (_, changes, reason = '') => {
      const { service, client, update } = await withClient()
      const stored = await service.store.clients.find(client.clientId)
      const refused = { status: 400, message: expect.stringContaining(reason) }
      await expect(update(changes)).rejects.toMatchObject(refused)
      expect(await service.store.clients.find(client.clientId)).toEqual(stored)
    },
  )

  it('ends the secrets of a client that goes over to keys', async () => {
    const { client, update, service } = await withClient({}, withAssertions())
    await update(BY_KEYS)
    const stored = await service.store.clients.find(client.clientId)
    expect(stored?.value).not.toHaveProperty('secretHash')
    const back = { tokenEndpointAuthMethod: 'client_secret_post', jwks: null }
    await expect(update(back)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('a client with keys gets no secret'),
    })
  })

  it('refuses what a feature refuses of the whole client: a method without the keys for it', async () => {
    const { update } = await withClient({}, withAssertions())
    await expect(update({ tokenEndpointAuthMethod: 'private_key_jwt' })).rejects.toMatchObject({
      status: 400,
    })
  })

  it('refuses the exceptions of a client to one with a redirect URI of a known client', async () => {
    const service = openKnown()
    const { update } = await withClient({ rememberConsent: true }, service)
    await expect(update({ redirectUris: [CHATGPT] })).rejects.toMatchObject({ status: 400 })
    const known = await update({ redirectUris: [REDIRECT_URI, CHATGPT], rememberConsent: false })
    expect(known).toMatchObject({ knownClient: 'chatgpt' })
    await expect(update({ pkceOptional: true })).rejects.toMatchObject({ status: 400 })
    expect(await update({ redirectUris: [REDIRECT_URI] })).not.toHaveProperty('knownClient')
  })

  it('marks a client as a known one only with new redirect URIs', async () => {
    const { service, clients, client } = await withClient({ redirectUris: [CHATGPT] })
    const { server } = openKnown({}, { store: service.store })
    const seen = await clients.find(client.clientId)
    if (seen === undefined) throw new Error('The client is gone')
    const renamed = await server.clients.update(client.clientId, { clientName: 'Gate' }, { seen })
    expect(renamed).not.toHaveProperty('knownClient')
  })

  it('refuses a public client what only a confidential one may have', async () => {
    const { update } = await withClient({ tokenEndpointAuthMethod: 'none' }, withAssertions())
    const stays = { status: 400, message: expect.stringContaining(STAYS) }
    for (const tokenEndpointAuthMethod of ['client_secret_post', 'client_secret_basic', 'private_key_jwt'])
      await expect(update({ tokenEndpointAuthMethod })).rejects.toMatchObject(stays)
    await expect(update({ pkceOptional: true })).rejects.toMatchObject({ status: 400 })
  })

  it('refuses a client that registered itself, and one that does not exist', async () => {
    const { service, clients, client } = await withClient()
    const seen = await clients.find((await register(service)).clientId)
    if (seen === undefined) throw new Error('The client is gone')
    const change = (clientId: string) => clients.update(clientId, { clientName: 'Bank' }, { seen })
    await expect(change(seen.clientId)).rejects.toMatchObject({
      status: 400,
      message: 'Only a client of the operator can be changed',
    })
    await expect(change('nobody')).rejects.toMatchObject({ status: 404 })
    await expect(change(client.clientId), 'a client that was not seen').rejects.toMatchObject({ status: 409 })
  })
})

describe('a redirect URI that a client loses', () => {
  it('CS-10: a code that was sent to a redirect URI is worth nothing after the client has lost it', async () => {
    const { service, client, update } = await withClient()
    const code = await codeFor(service, client.clientId, { redirect_uri: HTTPS })
    await update({ redirectUris: [REDIRECT_URI] })
    const answer = await redeem(service, client, code, { redirect_uri: HTTPS })
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_grant'])
    const reason = 'code_redirect_uri_removed'
    expect(service.events.filter(({ type }) => type === 'refused')).toMatchObject([{ reason }])
    await update({ redirectUris: [REDIRECT_URI, HTTPS] })
    expect((await redeem(service, client, code, { redirect_uri: HTTPS })).status).toBe(400)
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })

  it('ends no grant whose code was redeemed, and no code of another redirect URI', async () => {
    const { service, client, update } = await withClient()
    const old = await codeFor(service, client.clientId, { redirect_uri: HTTPS })
    const { refresh_token } = bodyOf<TokenAnswer>(await redeem(service, client, old, { redirect_uri: HTTPS }))
    const kept = await codeFor(service, client.clientId, { redirect_uri: 'http://127.0.0.1:9/callback' })
    await update({ redirectUris: [REDIRECT_URI] })
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
    const port = { redirect_uri: 'http://127.0.0.1:9/callback' }
    expect((await redeem(service, client, kept, port)).status).toBe(200)
  })
})

describe('scopes that a client loses', () => {
  it('CS-11: scopes that a client loses end with the next refresh, also if it asks for them', async () => {
    const { service, client, update } = await withClient()
    const tokens = await tokensFor(service, client)
    await update({ scopes: ['openid', 'courses:read'] })
    expect((await service.callApi(tokens.access_token, 'courses:read')).kind).toBe('authorized')
    const first = await refresh(service, client, tokens.refresh_token)
    expect(bodyOf<TokenAnswer>(first).scope).toBe('openid courses:read')
    const { refresh_token } = bodyOf<TokenAnswer>(first)
    const second = await refresh(service, client, refresh_token, { scope: 'openid profile' })
    expect(bodyOf<TokenAnswer>(second).scope).toBe('openid')
    const [grant] = (await service.server.grants.list('alice')).grants
    expect(grant?.scopes).toEqual(['openid', 'courses:read'])
  })

  it('CS-11: scopes that a client loses are not in the tokens of a code that was issued before', async () => {
    const { service, client, update } = await withClient()
    const code = await codeFor(service, client.clientId)
    await update({ scopes: ['courses:read'] })
    expect(bodyOf<TokenAnswer>(await redeem(service, client, code)).scope).toBe('courses:read')
  })

  it('do not cost a client the repetition of an answer that it lost', async () => {
    const { service, client, update } = await withClient()
    const { refresh_token } = await tokensFor(service, client)
    const answer = await refresh(service, client, refresh_token)
    await update({ scopes: ['openid', 'courses:read'] })
    const again = await refresh(service, client, refresh_token)
    expect([again.status, bodyOf<TokenAnswer>(again).refresh_token]).toEqual([
      200,
      bodyOf<TokenAnswer>(answer).refresh_token,
    ])
  })

  it('refuse a refresh if none remains, and keep the grant', async () => {
    const { service, client, update } = await withClient()
    const { refresh_token } = await tokensFor(service, client)
    await update({ scopes: ['students:read'] })
    const refused = await refresh(service, client, refresh_token)
    expect([refused.status, bodyOf(refused).error]).toEqual([400, 'invalid_scope'])
    await update({ scopes: ['courses:read'] })
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
  })
})
