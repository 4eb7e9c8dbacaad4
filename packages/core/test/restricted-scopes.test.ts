import { clientCredentials } from '@grantkit/core/client-credentials'
import { scopeCeiling } from '@grantkit/core/feature'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  decide,
  refresh,
  register,
  requestToken,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { addTool, openDeviceService, type Started } from './device-service.ts'
import { ISSUER, openService, REDIRECT_URI, SCOPES } from './service.ts'

/** A scope with `restricted: true` is only for static clients that name it. */

const RESTRICTED = 'courses:write'
const scopes = {
  ...SCOPES,
  [RESTRICTED]: { ...SCOPES[RESTRICTED], access: 'read', restricted: true },
} as const
const OPEN = Object.keys(SCOPES).filter((name) => name !== RESTRICTED)
const WANTED = { scope: `openid ${RESTRICTED}` }

describe('the ceiling of a client', () => {
  const named = ['openid', RESTRICTED]
  it.each([
    ['a static client that names it', { origin: 'integration', scopes: named }, named],
    ['a static client without scopes', { origin: 'integration' }, OPEN],
    ['a client that registered itself', { origin: 'registered', scopes: named }, OPEN],
    ['one with an initial access token', { origin: 'registered', scopeLimit: named }, ['openid']],
    ['a client with a document', { origin: 'document' }, OPEN],
    ['one whose document names it', { origin: 'document', scopes: named }, ['openid']],
  ])('has a restricted scope only if an operator named it: %s', (_, client, expected) => {
    expect(scopeCeiling(client as never, scopes)).toEqual(expected)
  })

  it('is none where no scope is restricted', () => {
    expect(scopeCeiling({ origin: 'integration' } as never, SCOPES)).toBeUndefined()
  })
})

const tool = { clientName: 'Tool', redirectUris: [REDIRECT_URI], tokenEndpointAuthMethod: 'none' as const }

it('is refused at the authorization endpoint, and not shown for consent, unless the client names it', async () => {
  const service = openService({ scopes })
  const { clientId } = await service.server.clients.add(tool)
  for (const id of [clientId, (await register(service, WANTED)).clientId]) {
    const { headers } = await authorize(service, authorizationQuery(id, WANTED))
    expect(new URL(String(headers.location)).searchParams.get('error')).toBe('invalid_scope')
  }
  expect(service.shown.consent).toBeUndefined()
  const namer = await service.server.clients.add({ ...tool, scopes: ['openid', RESTRICTED] })
  expect(await tokensFor(service, namer, WANTED)).toMatchObject(WANTED)
})

it('is registered by no client itself, and is not in what it requests without a scope', async () => {
  const service = openService({ scopes })
  const client = await register(service, WANTED)
  expect(client).toMatchObject({ scope: 'openid' })
  const { body } = await authorize(service, authorizationQuery(client.clientId, { scope: undefined }))
  expect([body, service.shown.consent?.scopes.map(({ name }) => name)]).toEqual(['consent', ['openid']])
})

it('is not in the metadata of the server, because clients request all that they find there', () => {
  expect(openService({ scopes }).server.metadata.scopes_supported).toEqual(OPEN)
})

it('cannot be the default of requests without a scope', () => {
  expect(() => openService({ scopes, defaultScope: RESTRICTED })).toThrow('restricted')
})

it.each(['personal', 'baseline'])('is never %s: the server is not created', (option) => {
  const both = { ...scopes, [RESTRICTED]: { ...scopes[RESTRICTED], [option]: true } }
  expect(() => openService({ scopes: both })).toThrow(
    `scopes: "${RESTRICTED}" is restricted, so not ${option}`,
  )
})

it('is asked for each time, also of a client whose consent is remembered', async () => {
  const service = openService({ scopes })
  const portal = { clientName: 'Portal', redirectUris: ['https://portal.example/cb'], rememberConsent: true }
  const { clientId } = await service.server.clients.add({ ...portal, scopes: ['openid', RESTRICTED] })
  const ask = (scope: string) =>
    authorize(service, authorizationQuery(clientId, { scope, redirect_uri: portal.redirectUris[0] }))
  await ask(WANTED.scope)
  await decide(service)
  expect((await ask('openid')).status, 'remembered').toBe(303)
  expect((await ask(WANTED.scope)).body).toBe('consent')
})

it('is not for devices, unless the option names it', async () => {
  for (const [options, expected] of [
    [{}, 400],
    [{ scopes: ['openid', RESTRICTED] }, 200],
  ] as const) {
    const { service, ask } = await openDeviceService({ ...options, server: { scopes } })
    const { clientId } = await addTool(service, { scopes: ['openid', RESTRICTED] })
    expect((await ask({ client_id: clientId, ...WANTED })).status).toBe(expected)
  }
})

it('is got by client credentials only if the client names it', async () => {
  const service = openService({ scopes, features: [clientCredentials()] })
  const job = { clientName: 'Job', redirectUris: [], grantTypes: ['client_credentials'] }
  for (const [clientCredentialsScopes, expected] of [
    [['courses:read'], 'invalid_scope'],
    [[RESTRICTED], undefined],
  ] as const) {
    const { clientId, clientSecret } = await service.server.clients.add({ ...job, clientCredentialsScopes })
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret ?? '' }
    const answer = await service.send('POST', '/api/oauth/token', { form: { ...form, scope: RESTRICTED } })
    expect(bodyOf(answer).error).toBe(expected)
  }
})

it('is left out of a token that is exchanged by a client that does not name it', async () => {
  const service = openService({ scopes, features: [tokenExchange()] })
  const namer = await service.server.clients.add({ ...tool, scopes: ['openid', 'courses:read', RESTRICTED] })
  const { access_token } = await tokensFor(service, namer, { scope: `courses:read ${RESTRICTED}` })
  const { clientId, clientSecret } = await service.server.clients.add({
    ...{
      clientName: 'API',
      redirectUris: [],
      grantTypes: ['urn:ietf:params:oauth:grant-type:token-exchange'],
    },
    tokenExchangeResources: [ISSUER],
  })
  const answer = await requestToken(service, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: access_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    ...{ client_id: clientId, client_secret: clientSecret ?? '' },
  })
  expect(bodyOf(answer).scope).toBe('courses:read')
})

describe('a grant with a restricted scope', () => {
  const ended = { subject: 'alice', sessionIds: ['alice@undefined'] }

  async function withGrants() {
    const service = openService({ scopes })
    const client = await service.server.clients.add({ ...tool, scopes: ['openid', RESTRICTED] })
    const grants = [
      await tokensFor(service, client, WANTED),
      await tokensFor(service, client, { scope: 'openid' }),
    ]
    const alive = async () =>
      Promise.all(grants.map(async (tokens) => (await refresh(service, client, tokens.refresh_token)).status))
    return { service, alive }
  }

  it.each([
    ['the session that it began in', ended],
    ['all sessions of its user', { ...ended, sessionIds: [], all: true }],
  ])('ends with %s, and no other grant does', async (_, sessions) => {
    const { service, alive } = await withGrants()
    await service.server.sessions.ended(sessions)
    expect(await alive()).toEqual([400, 200])
    expect(service.events).toContainEqual(expect.objectContaining({ type: 'grant_revoked', by: 'server' }))
  })

  it('ends with the session in which the user allowed its device, and no other grant of a device does', async () => {
    const named = ['openid', RESTRICTED]
    const { service, ask, answer, enter, poll } = await openDeviceService({
      scopes: named,
      server: { scopes },
    })
    const client = await addTool(service, { scopes: named })
    const { clientId: client_id } = client
    const tokens: TokenAnswer[] = []
    for (const scope of [WANTED.scope, 'openid']) {
      const started = bodyOf<Started>(await ask({ client_id, scope }))
      await enter(started.user_code)
      await answer()
      tokens.push(bodyOf<TokenAnswer>(await poll(started, { client_id })))
    }
    await service.server.sessions.ended(ended)
    const answers = tokens.map(
      async ({ refresh_token }) => (await refresh(service, client, refresh_token)).status,
    )
    expect(await Promise.all(answers)).toEqual([400, 200])
  })

  it.each([
    ['another session', { ...ended, sessionIds: ['alice@100'] }],
    ['the sessions of another user', { ...ended, subject: 'bob', all: true }],
  ])('does not end with %s', async (_, sessions) => {
    const { service, alive } = await withGrants()
    await service.server.sessions.ended(sessions)
    expect(await alive()).toEqual([200, 200])
  })

  it('is reported as not ended while the store is down, so its session goes on', async () => {
    const { service, alive } = await withGrants()
    const list = vi.spyOn(service.store.grants, 'list').mockRejectedValue(new Error('down'))
    onTestFinished(() => list.mockRestore())
    const error = 'temporarily_unavailable'
    await expect(service.server.sessions.ended(ended)).rejects.toMatchObject({ error, status: 503 })
    list.mockRestore()
    await service.server.sessions.ended(ended)
    expect(await alive()).toEqual([400, 200])
  })
})
