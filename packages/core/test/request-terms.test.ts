import { createResourceServer, type Feature } from '@grantkit/core'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { type Client, defineErrors, type RequestTerm, RequestTerms } from '@grantkit/core/feature'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  ALICE,
  arrive,
  authorizationQuery,
  authorize,
  bodyOf,
  type ClientAnswer,
  credentials,
  decide,
  introspected,
  redeem,
  redirectOf,
  refresh,
  register,
  requestToken,
  type TokenAnswer,
} from './client.ts'
import { openDeviceService } from './device-service.ts'
import { openPersonal } from './personal-tokens-service.ts'
import { ISSUER, openService, SCOPES, type Service } from './service.ts'

const { rooms_closed } = defineErrors({ rooms_closed: ['invalid_grant', 'The house is closed'] })

/** An invented term: a request asks for rooms, the user chooses some of them, and a token can be for fewer. */
const house: { closedFor?: string } = {}
const ROOMS = ['attic', 'cellar', 'kitchen']

const rooms: RequestTerm<readonly string[], readonly string[]> = {
  name: 'rooms',
  parameters: z.object({ rooms: z.string().optional() }),
  claims: ['rooms'],
  read({ rooms }) {
    if (rooms === undefined) return undefined
    return String(rooms).split(' ')
  },
  view: (asked) => ({ shown: asked, decided: asked.length === 1 ? { value: asked } : 'open' }),
  decide(asked, form) {
    const chosen = [form.room ?? []].flat()
    if (chosen.length === 0) return 'open'
    return { value: asked.filter((room) => chosen.includes(room)) }
  },
  narrow(value, { requested, grant }) {
    if (grant.clientId === house.closedFor) return { ended: rooms_closed }
    const wanted = requested.rooms === undefined ? value : String(requested.rooms).split(' ')
    return { value: value.filter((room) => wanted.includes(room)) }
  },
  claimsOf: (value, { use }) => ({
    rooms: value,
    ...(use === 'token_response' && { room_count: value.length }),
  }),
  ofClient: ({ clientName }: Client) => (clientName === 'Cleaner' ? ROOMS : undefined),
}

const feature: Feature = () => ({ requestTerms: new RequestTerms([rooms as RequestTerm]) })

function open(more: readonly Feature[] = []): Service {
  return openService({ features: [feature, ...more] })
}

const ASKING = { scope: 'openid courses:read', rooms: 'attic cellar' }

function choosing(service: Service, chosen: readonly string[]) {
  const { ticket, scopes } = service.shown.consent ?? { ticket: '', scopes: [] }
  return decide(service, [
    ['ticket', ticket],
    ['decision', 'allow'],
    ...scopes.map(({ name }): [string, string] => ['scope', name]),
    ...chosen.map((room): [string, string] => ['room', room]),
  ])
}

async function tokensOf(service: Service, client: ClientAnswer, chosen = ['attic', 'cellar']) {
  await authorize(service, authorizationQuery(client.clientId, ASKING))
  const { code = '' } = redirectOf(await choosing(service, chosen))
  return bodyOf<TokenAnswer & { rooms: string[]; room_count: number }>(await redeem(service, client, code))
}

describe('a term of a request', () => {
  it('is shown on the consent page, and returned in the answer, ID token, introspection, UserInfo and at the guard', async () => {
    const service = open()
    const client = await register(service)
    const tokens = await tokensOf(service, client, ['attic'])
    expect(service.shown.consent?.terms).toEqual({ rooms: ['attic', 'cellar'] })
    expect(tokens).toMatchObject({ rooms: ['attic'], room_count: 1 })
    const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ rooms: ['attic'] })
    expect(await introspected(service, tokens.access_token)).toMatchObject({ active: true, rooms: ['attic'] })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const user = await service.send('GET', '/api/oauth/userinfo', { headers })
    expect(bodyOf(user)).toMatchObject({ sub: 'alice', rooms: ['attic'] })
    expect(await service.callApi(tokens.access_token, 'courses:read')).toMatchObject({
      token: { claims: { rooms: ['attic'] }, terms: { rooms: ['attic'] } },
    })
    expect(service.server.metadata.claims_supported).toContain('rooms')
  })

  it('is in a JWT access token', async () => {
    const service = open([jwtAccessTokens({ resources: { [ISSUER]: {} } })])
    const client = await register(service)
    await authorize(service, authorizationQuery(client.clientId, { ...ASKING, resource: ISSUER }))
    const { code = '' } = redirectOf(await choosing(service, ['cellar']))
    const { access_token } = bodyOf<TokenAnswer>(await redeem(service, client, code))
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ aud: ISSUER, rooms: ['cellar'] })
  })

  it('is asked again if the form has no decision about it; nothing is spent', async () => {
    const service = open()
    const client = await register(service)
    await authorize(service, authorizationQuery(client.clientId, ASKING))
    expect(await choosing(service, [])).toMatchObject({ status: 200, body: 'consent' })
    expect(redirectOf(await choosing(service, ['attic']))).toHaveProperty('code')
  })

  it('lasts through PAR', async () => {
    const service = open([pushedAuthorizationRequests()])
    const client = await register(service)
    const form = Object.fromEntries(new URLSearchParams(authorizationQuery(client.clientId, ASKING)))
    const pushed = await service.send('POST', '/api/oauth/par', { form })
    const { request_uri = '' } = bodyOf<{ request_uri: string }>(pushed)
    const query = String(new URLSearchParams({ client_id: client.clientId, request_uri }))
    await arrive(service, query)
    expect(service.shown.consent?.terms).toEqual({ rooms: ['attic', 'cellar'] })
  })

  it('narrows at a refresh and in an exchange, and nothing widens it again', async () => {
    const service = open([tokenExchange()])
    const client = await register(service, {
      grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
    })
    const first = await tokensOf(service, client)
    const narrowed = await refresh(service, client, first.refresh_token, { rooms: 'attic kitchen' })
    const { access_token, refresh_token } = bodyOf<TokenAnswer>(narrowed)
    expect(bodyOf(narrowed)).toMatchObject({ rooms: ['attic'] })
    const exchanged = await requestToken(service, {
      grant_type: TOKEN_EXCHANGE,
      subject_token: access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      rooms: 'attic cellar',
      ...credentials(client),
    })
    expect(bodyOf(exchanged)).toMatchObject({ rooms: ['attic'] })
    // The grant itself keeps what the user decided.
    expect(bodyOf(await refresh(service, client, refresh_token))).toMatchObject({
      rooms: ['attic', 'cellar'],
    })
  })

  it('is the same when a refresh is repeated: other terms are an error, and spend nothing', async () => {
    const service = open()
    const client = await register(service)
    const { refresh_token } = await tokensOf(service, client)
    const narrowed = await refresh(service, client, refresh_token, { rooms: 'attic' })
    const repeated = await refresh(service, client, refresh_token, { rooms: 'attic' })
    expect(bodyOf(repeated)).toEqual(bodyOf(narrowed))
    await refresh(service, client, refresh_token)
    expect(service.events.at(-1)).toMatchObject({ reason: 'term_retry_differs' })
  })

  it('ends its grant when it says so', async () => {
    const service = open()
    const client = await register(service)
    const tokens = await tokensOf(service, client)
    house.closedFor = client.clientId
    try {
      expect(bodyOf(await refresh(service, client, tokens.refresh_token))).toMatchObject({
        error: 'invalid_grant',
      })
    } finally {
      delete house.closedFor
    }
    expect(await service.callApi(tokens.access_token)).toMatchObject({ kind: 'refused' })
  })

  it('without its feature makes a token good for nothing, never wider', async () => {
    const service = open()
    const client = await register(service)
    const tokens = await tokensOf(service, client)
    const without = openService({ store: service.store })
    expect(await introspected(without, tokens.access_token)).toEqual({ active: false })
    const refused = await refresh(without, client, tokens.refresh_token)
    expect(bodyOf(refused)).toMatchObject({ error: 'invalid_grant' })
    expect(without.events).toContainEqual(expect.objectContaining({ reason: 'term_unknown' }))
    const { clock, store } = service
    const guard = createResourceServer({ resource: ISSUER, store, scopes: SCOPES, now: () => clock.now })
    const request = {
      method: 'GET',
      path: '/',
      query: '',
      body: '',
      headers: { authorization: `Bearer ${tokens.access_token}` },
    }
    expect(await guard.access(request)).toMatchObject({ kind: 'refused', response: { status: 401 } })
    // It is refused and not ended: where the feature is, it lives on.
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
  })

  it('belongs to remembered consent, and prompt=none cannot decide it', async () => {
    const service = open()
    const client = await service.server.clients.add({
      ...{ clientName: 'App', redirectUris: ['http://127.0.0.1:7001/callback'], rememberConsent: true },
    })
    const query = (overrides: Record<string, string>) =>
      authorizationQuery(client.clientId, { ...ASKING, ...overrides })
    await authorize(service, query({ rooms: 'attic' }))
    await choosing(service, ['attic'])
    expect(redirectOf(await authorize(service, query({ rooms: 'attic', prompt: 'none' })))).toHaveProperty(
      'code',
    )
    const answers = [{ rooms: 'cellar' }, { rooms: 'attic cellar' }]
    const errors = answers.map(
      async (asked) => redirectOf(await authorize(service, query({ ...asked, prompt: 'none' }))).error,
    )
    expect(await Promise.all(errors)).toEqual(['consent_required', 'interaction_required'])
    await authorize(service, query({ rooms: 'cellar' }))
    expect(service.shown.consent?.scopes.some(({ allowedBefore }) => allowedBefore)).toBe(false)
  })

  it('is decided on the page of a device', async () => {
    const { service, shown, start, enter, poll } = await openDeviceService({
      server: { features: [feature] },
    })
    const started = await start({ rooms: 'attic cellar' })
    await enter(started.user_code)
    expect(shown.device?.terms).toEqual({ rooms: ['attic', 'cellar'] })
    const { action = '', ticket = '' } = shown.device ?? {}
    const [path = '', query = ''] = action.split('?')
    const form = { ticket, decision: 'allow', scope: 'courses:read' }
    const send = (more: object) =>
      service.send('POST', path, { query, form: { ...form, ...more }, headers: ALICE })
    expect(await send({})).toMatchObject({ status: 400, body: 'user_decision_missing' })
    expect((await send({ room: 'cellar' })).status).toBe(200)
    expect(bodyOf(await poll(started))).toMatchObject({ rooms: ['cellar'] })
  })

  it('is not lost on the page of a device of a replica that does not know it', async () => {
    const { service, shown, start, enter } = await openDeviceService({ server: { features: [feature] } })
    const started = await start({ rooms: 'attic cellar' })
    await enter(started.user_code)
    const { action = '', ticket = '' } = shown.device ?? {}
    const without = await openDeviceService({ server: { store: service.store } })
    expect(await without.enter(started.user_code)).toMatchObject({ status: 400, body: 'term_unknown' })
    const [path = '', query = ''] = action.split('?')
    const form = { ticket, decision: 'allow', scope: 'courses:read', room: 'cellar' }
    expect(await without.service.send('POST', path, { query, form, headers: ALICE })).toMatchObject({
      status: 400,
      body: 'term_unknown',
    })
    expect((await service.send('POST', path, { query, form, headers: ALICE })).status).toBe(200)
  })

  it('may be one of a client without a user', async () => {
    const service = open([clientCredentials()])
    const metadata = {
      redirectUris: [],
      grantTypes: ['client_credentials'],
      clientCredentialsScopes: ['courses:read'],
    }
    const client = await service.server.clients.add({ ...metadata, clientName: 'Cleaner' })
    const tokens = await requestToken(service, { grant_type: 'client_credentials', ...credentials(client) })
    expect(bodyOf(tokens)).toMatchObject({ rooms: ROOMS })
  })
})

it('a personal access token has the terms that its user decides by the form', async () => {
  const always = { ...rooms, read: () => ROOMS } as RequestTerm
  const { tokens, create } = openPersonal({
    server: { features: [() => ({ requestTerms: new RequestTerms([always]) })] },
  })
  expect(await tokens.terms('alice', 'en')).toEqual({ rooms: ROOMS })
  await expect(create()).rejects.toMatchObject({ reason: 'user_decision_missing' })
  const { token } = await create({ form: { room: 'attic' } })
  expect(token).toMatchObject({ terms: { rooms: ['attic'] } })
})

it('two terms cannot have one name, or a parameter that has a meaning already', () => {
  const named =
    (term: object): Feature =>
    () => ({ requestTerms: new RequestTerms([{ ...rooms, ...term } as RequestTerm]) })
  expect(() => open([named({})])).toThrow('requestTerms has rooms twice')
  expect(() => open([named({ name: 'others' })])).toThrow(
    'the term others has the parameter rooms, which is taken',
  )
  const prompt = { name: 'prompts', parameters: z.object({ prompt: z.string().optional() }) }
  expect(() => open([named(prompt)])).toThrow('the term prompts has the parameter prompt, which is taken')
})
