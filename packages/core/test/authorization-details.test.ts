import { type Authorized, createResourceServer, type HttpResponse } from '@grantkit/core'
import {
  type AuthorizationDetail,
  authorizationDetails,
  type DetailTypes,
  detailClaims,
  detailGuard,
} from '@grantkit/core/authorization-details'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { systemTime } from '@grantkit/core/internal'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import {
  arrive,
  authorizationQuery,
  authorize,
  bodyOf,
  type ClientAnswer,
  credentials,
  decide,
  introspected,
  tokensFor as plainTokensFor,
  redeem,
  redirectOf,
  refresh,
  register,
  requestToken,
  type TokenAnswer,
} from './client.ts'
import { ISSUER, openService, REDIRECT_URI, SCOPES, type Service } from './service.ts'

const currency = z.enum(['EUR', 'USD'])

const TYPES: DetailTypes = {
  payment: {
    schema: z.object({ amount: z.int().min(1).max(1_000_000), currency, payee: z.string().max(70) }),
    describe: ({ amount, currency, payee }, locale) =>
      `${locale === 'de' ? 'Bezahle' : 'Pay'} ${Number(amount) / 100} ${currency} to “${payee}”`,
    within: (granted, asked) =>
      Number(granted.amount) >= Number(asked.amount) &&
      granted.currency === asked.currency &&
      granted.payee === asked.payee,
    uses: 'once',
    selfRegistered: true,
  },
  allowance: {
    schema: z.object({ amount: z.int().min(1), currency }),
    describe: ({ amount, currency }) => `Spend at most ${Number(amount) / 100} ${currency}`,
    within: (granted, asked) =>
      Number(granted.amount) >= Number(asked.amount) && granted.currency === asked.currency,
    uses: { budget: 'amount', per: 'grant' },
    selfRegistered: true,
  },
  daily: {
    schema: z.object({ amount: z.int().min(1) }),
    describe: ({ amount }) => `Spend at most ${amount} a day`,
    within: (granted, asked) => Number(granted.amount) >= Number(asked.amount),
    uses: { budget: 'amount', per: 'day' },
    selfRegistered: true,
  },
  folder: {
    schema: z.object({ path: z.string().max(200), locations: z.array(z.url()).max(3).optional() }),
    describe: ({ path }) => `Read the folder ${path}`,
    within: (granted, asked) => String(asked.path).startsWith(String(granted.path)),
    selfRegistered: true,
  },
  topUp: {
    schema: z.object({ amount: z.coerce.number<number>().int().min(1).default(50) }),
    describe: ({ amount }) => `Top up by at most ${amount}`,
    within: (granted, asked) => Number(granted.amount) >= Number(asked.amount),
    uses: { budget: 'amount', per: 'grant' },
    selfRegistered: true,
  },
  deletion: { schema: z.object({}), describe: () => 'Delete everything' },
}

const PAYMENT = { type: 'payment', amount: 1250, currency: 'EUR', payee: 'Example Shop' }
const ALLOWANCE = { type: 'allowance', amount: 100, currency: 'EUR' }
const DOCS = { type: 'folder', path: '/docs/' }

type ServerOptions = NonNullable<Parameters<typeof openService>[0]>

function open(server: ServerOptions = {}): Service {
  const features = [authorizationDetails({ types: TYPES }), ...(server.features ?? [])]
  return openService({ ...server, features })
}

function ask(service: Service, client: ClientAnswer, details: unknown, more: Record<string, string> = {}) {
  const authorization_details = typeof details === 'string' ? details : JSON.stringify(details)
  return authorize(service, authorizationQuery(client.clientId, { authorization_details, ...more }))
}

/** The user allows what the page shows. */
function allow(service: Service, more: Record<string, string> = {}) {
  const { shown = '' } = service.shown.consent?.terms?.authorization_details ?? {}
  return decide(service, { authorization_details: shown, ...more })
}

type Answer = TokenAnswer & { authorization_details?: readonly AuthorizationDetail[] }

async function tokensFor(service: Service, details: unknown, more: Record<string, string> = {}) {
  const client = await register(service, {
    grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
  })
  await ask(service, client, details, more)
  const { code = '' } = redirectOf(await allow(service))
  return { client, tokens: bodyOf<Answer>(await redeem(service, client, code)) }
}

async function acceptedToken(service: Service, token: string) {
  const access = await service.callApi(token)
  expect(access).toMatchObject({ kind: 'authorized' })
  return (access as Authorized).token
}

/** A token with these details, and a guard that counts them. */
async function openSpender(details: unknown) {
  const service = open()
  const { tokens } = await tokensFor(service, details)
  const token = await acceptedToken(service, tokens.access_token)
  /** What the grant has spent, by the places of its details. */
  const spent = async () => (await service.store.grants.find(token.grantId))?.value.spent
  return { service, token, guard: guardOf(service), spent }
}

function guardOf({ api, store, clock, events }: Service) {
  return detailGuard({
    api,
    types: TYPES,
    store,
    now: () => clock.now,
    onEvent: (event) => void events.push(event as never),
  })
}

describe('details of a request', () => {
  it('are shown in the words of their types, and returned in the answer, at introspection and at the guard', async () => {
    const service = open()
    const { tokens } = await tokensFor(service, [PAYMENT, DOCS], { scope: 'openid courses:read' })
    expect(service.shown.consent?.terms?.authorization_details?.details).toEqual([
      { type: 'payment', text: 'Pay 12.5 EUR to “Example Shop”' },
      { type: 'folder', text: 'Read the folder /docs/' },
    ])
    expect(tokens.authorization_details).toEqual([PAYMENT, DOCS])
    expect(await introspected(service, tokens.access_token)).toMatchObject({
      authorization_details: [PAYMENT, DOCS],
    })
    const token = await acceptedToken(service, tokens.access_token)
    expect(token.terms).toEqual({ authorization_details: { details: [PAYMENT, DOCS] } })
    const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).not.toHaveProperty('authorization_details')
    expect(service.server.metadata.claims_supported).not.toContain('authorization_details')
  })

  it('have types that the metadata of the server and of each resource name', async () => {
    const service = open({ resources: [ISSUER, 'https://files.example'] })
    const types = { authorization_details_types_supported: Object.keys(TYPES) }
    expect(service.server.metadata).toMatchObject(types)
    for (const host of ['', 'files.example']) {
      const path = '/.well-known/oauth-protected-resource'
      expect(bodyOf(await service.send('GET', path, { headers: { host } }))).toMatchObject(types)
    }
  })

  it('are a claim of a JWT, which has only those for its resource', async () => {
    const service = open({ features: [jwtAccessTokens({ resources: { [ISSUER]: {} } })] })
    const elsewhere = { ...DOCS, locations: ['https://files.example'] }
    const here = { ...DOCS, path: '/here/', locations: [ISSUER] }
    const { tokens } = await tokensFor(service, [DOCS, elsewhere, here], { resource: ISSUER })
    const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims.authorization_details).toEqual([DOCS, here])
    expect(tokens.authorization_details).toEqual([DOCS, elsewhere, here])
  })

  it.each([
    ['no JSON', '{', 'details_unreadable'],
    ['an object', PAYMENT, 'details_unreadable'],
    ['an empty array', [], 'details_unreadable'],
    ['an object without a type', [{ amount: 1 }], 'details_unreadable'],
    [
      'nine objects',
      Array.from({ length: 9 }, (_, at) => ({ ...DOCS, path: `/${at}` })),
      'details_unreadable',
    ],
    ['more than 4096 bytes', JSON.stringify([PAYMENT]).padEnd(4097), 'details_unreadable'],
    ['an unknown type', [{ type: 'wire' }], 'detail_type_unknown'],
    ['a type by an inherited name', [{ type: 'constructor' }], 'detail_type_unknown'],
    ['an unknown field', [{ ...PAYMENT, memo: 'hello' }], 'detail_invalid'],
    ['a field by an inherited name', [{ ...DOCS, constructor: 1 }], 'detail_invalid'],
    ['a missing field', [{ type: 'payment', amount: 1 }], 'detail_invalid'],
    ['an amount as text', [{ ...PAYMENT, amount: '1e9' }], 'detail_invalid'],
    ['a negative amount', [{ ...PAYMENT, amount: -1 }], 'detail_invalid'],
    ['a fraction of a budget', [{ ...ALLOWANCE, amount: 0.5 }], 'detail_invalid'],
    ['another currency', [{ ...PAYMENT, currency: 'XXX' }], 'detail_invalid'],
    ['the same object twice', [PAYMENT, { ...PAYMENT }], 'detail_repeated'],
    [
      'the same object in another order',
      [PAYMENT, Object.fromEntries(Object.entries(PAYMENT).reverse())],
      'detail_repeated',
    ],
  ])('are refused for %s', async (_, details, reason) => {
    const service = open()
    const client = await register(service)
    expect(redirectOf(await ask(service, client, details))).toMatchObject({
      error: 'invalid_authorization_details',
    })
    expect(service.events.at(-1)).toMatchObject({ reason })
    expect(service.shown.consent).toBeUndefined()
  })

  it('may have 4096 bytes, and are then granted', async () => {
    const service = open()
    const folders = Array.from({ length: 7 }, (_, at) => ({ ...DOCS, path: `/${at}${'é'.repeat(198)}` }))
    const notes = JSON.stringify([...folders, { ...PAYMENT, payee: '' }])
    const missing = 4096 - Buffer.byteLength(notes)
    const locations = ['https://files.example/'.padEnd(missing - '"locations":[""],'.length, 'x')]
    const details = [{ ...folders[0], locations }, ...folders.slice(1), { ...PAYMENT, payee: '' }]
    expect(Buffer.byteLength(JSON.stringify(details))).toBe(4096)
    const { tokens } = await tokensFor(service, details)
    expect(tokens.authorization_details).toHaveLength(8)
  })

  it('are refused as a repeated parameter', async () => {
    const service = open()
    const client = await register(service)
    const query = authorizationQuery(client.clientId, { authorization_details: '[]' })
    expect(redirectOf(await authorize(service, `${query}&authorization_details=[]`))).toMatchObject({
      error: 'invalid_request',
    })
  })

  it('of a type that is only for clients of the operator are refused to one that registered itself', async () => {
    const service = open()
    const client = await register(service)
    const asked = [{ type: 'deletion' }]
    expect(redirectOf(await ask(service, client, asked))).toMatchObject({
      error: 'invalid_authorization_details',
    })
    const metadata = { clientName: 'Cleaner', redirectUris: [REDIRECT_URI] }
    const own = await service.server.clients.add(metadata)
    expect(await ask(service, own as unknown as ClientAnswer, asked)).toMatchObject({ status: 200 })
  })

  it('are only of the types that the client registered, if it registered some', async () => {
    const service = open()
    const client = await register(service, { authorization_details_types: ['folder'] })
    await ask(service, client, [DOCS, PAYMENT])
    expect(service.events.at(-1)).toMatchObject({ reason: 'detail_type_not_allowed' })
    expect(await register(service, { authorization_details_types: ['folder', 'wire'] })).toMatchObject({
      error: 'invalid_client_metadata',
      error_description: expect.stringContaining(
        'must be of payment, allowance, daily, folder, topUp, deletion',
      ),
    })
  })

  it('last through PAR, and are checked when they are pushed', async () => {
    const service = open({ features: [pushedAuthorizationRequests()] })
    const client = await register(service)
    const push = (details: unknown) => {
      const query = authorizationQuery(client.clientId, { authorization_details: JSON.stringify(details) })
      const form = Object.fromEntries(new URLSearchParams(query))
      return service.send('POST', '/api/oauth/par', { form })
    }
    expect(bodyOf(await push([{ type: 'wire' }]))).toMatchObject({ error: 'invalid_authorization_details' })
    const { request_uri = '' } = bodyOf<{ request_uri: string }>(await push([PAYMENT]))
    const query = String(new URLSearchParams({ client_id: client.clientId, request_uri }))
    await arrive(service, query)
    expect(service.shown.consent?.terms?.authorization_details?.details).toHaveLength(1)
  })
})

it.each([
  ['an access token for all APIs', 'access_token', [], ['/all/', '/here/', '/there/']],
  ['an access token for two APIs', 'access_token', [ISSUER, 'https://other.example'], ['/all/', '/here/']],
  ['an introspection by an API', 'introspection', ['https://there.example'], ['/all/', '/there/']],
  ['an answer to the client', 'token_response', [ISSUER], ['/all/', '/here/', '/there/']],
  ['an ID token', 'id_token', [], undefined],
  ['UserInfo', 'userinfo', [], undefined],
] as const)('%s tells no details but those for who reads it', (_, use, resources, paths) => {
  const at = (path: string, ...locations: string[]) => ({ type: 'folder', path, locations })
  const details = [{ ...DOCS, path: '/all/' }, at('/here/', ISSUER), at('/there/', 'https://there.example')]
  const claims = detailClaims.claimsOf({ details }, { use, resources })
  const told = claims.authorization_details as AuthorizationDetail[] | undefined
  expect(told?.map(({ path }) => path)).toEqual(paths)
})

describe('the decision about details', () => {
  it('does not count by a page that has not shown them', async () => {
    const service = open()
    const client = await register(service)
    await ask(service, client, [PAYMENT])
    const { shown = '' } = service.shown.consent?.terms?.authorization_details ?? {}
    for (const field of [
      {},
      { authorization_details: 'forged' },
      { authorization_details: shown, decision: 'allow_reading' },
    ]) {
      await decide(service, field)
      expect(service.events.at(-1)).toMatchObject({ reason: 'details_not_shown' })
    }
    // Another amount in the request is another page.
    await ask(service, client, [{ ...PAYMENT, amount: 999_999 }])
    await decide(service, { authorization_details: shown })
    expect(service.events.at(-1)).toMatchObject({ reason: 'details_not_shown' })
    expect(redirectOf(await allow(service))).toHaveProperty('code')
  })

  it('is never remembered, and prompt=none cannot make it', async () => {
    const service = open()
    const client = (await service.server.clients.add({
      ...{ clientName: 'App', redirectUris: [REDIRECT_URI], rememberConsent: true },
    })) as unknown as ClientAnswer
    await ask(service, client, [DOCS])
    await allow(service)
    expect(await ask(service, client, [DOCS])).toMatchObject({ status: 200, body: 'consent' })
    expect(redirectOf(await ask(service, client, [DOCS], { prompt: 'none' }))).toMatchObject({
      error: 'interaction_required',
    })
  })

  it('has at most 300 characters for a detail, without what turns text around', async () => {
    const service = open()
    const client = await register(service)
    await ask(service, client, [
      { ...PAYMENT, payee: `\u202e${'x'.repeat(60)}` },
      { ...DOCS, path: `/${'y'.repeat(199)}` },
    ])
    const texts = service.shown.consent?.terms?.authorization_details?.details.map(({ text }) => text) ?? []
    expect(texts.join()).not.toContain('\u202e')
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(300)
  })
})

describe('a token request', () => {
  const narrower = { type: 'folder', path: '/docs/public/' }

  it('narrows details at a refresh and in an exchange, and nothing widens them again', async () => {
    const service = open({ features: [tokenExchange()] })
    const { client, tokens } = await tokensFor(service, [DOCS, ALLOWANCE])
    const sent = { authorization_details: JSON.stringify([narrower]) }
    const refreshed = bodyOf<Answer>(await refresh(service, client, tokens.refresh_token, sent))
    expect(refreshed.authorization_details).toEqual([narrower])
    const exchange = (details: unknown) =>
      requestToken(service, {
        grant_type: TOKEN_EXCHANGE,
        subject_token: refreshed.access_token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        authorization_details: JSON.stringify(details),
        ...credentials(client),
      })
    expect(bodyOf(await exchange([narrower]))).toMatchObject({ authorization_details: [narrower] })
    for (const wider of [[DOCS], [ALLOWANCE], [narrower, ALLOWANCE]])
      expect(bodyOf(await exchange(wider))).toMatchObject({ error: 'invalid_authorization_details' })
  })

  it('narrows details to those of known types after the operator took a type away', async () => {
    const service = open()
    const { client, tokens } = await tokensFor(service, [ALLOWANCE, DOCS])
    const features = [authorizationDetails({ types: { folder: TYPES.folder } as DetailTypes })]
    const later = openService({ store: service.store, features })
    const sent = { authorization_details: JSON.stringify([narrower]) }
    expect(bodyOf(await refresh(later, client, tokens.refresh_token, sent))).toMatchObject({
      authorization_details: [narrower],
    })
  })

  it('for details is refused where the grant has none, and spends nothing', async () => {
    const service = open({ features: [clientCredentials()] })
    const client = await register(service)
    await authorize(service, authorizationQuery(client.clientId))
    const { code = '' } = redirectOf(await decide(service))
    const sent = { authorization_details: JSON.stringify([DOCS]) }
    const refused = { error: 'invalid_authorization_details' }
    const { refresh_token } = bodyOf<TokenAnswer>(await redeem(service, client, code))
    expect(bodyOf(await refresh(service, client, refresh_token, sent))).toMatchObject(refused)
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
    const access = { clientCredentialsScopes: ['courses:read'], grantTypes: ['client_credentials'] }
    const job = await service.server.clients.add({ clientName: 'Job', redirectUris: [], ...access })
    const form = { grant_type: 'client_credentials', ...sent, ...credentials(job) }
    expect(bodyOf(await requestToken(service, form))).toMatchObject(refused)
  })

  it('cannot split a budget: a token has all of it, or none', async () => {
    const service = open()
    const { client, tokens } = await tokensFor(service, [ALLOWANCE])
    const part = JSON.stringify([{ ...ALLOWANCE, amount: 60 }])
    const refused = await refresh(service, client, tokens.refresh_token, { authorization_details: part })
    expect(bodyOf(refused)).toMatchObject({ error: 'invalid_authorization_details' })
    const whole = JSON.stringify([ALLOWANCE])
    expect(
      (await refresh(service, client, tokens.refresh_token, { authorization_details: whole })).status,
    ).toBe(200)
  })
})

describe('the guard of operations', () => {
  const reasonOf = (refused: { response: HttpResponse } | undefined) =>
    refused && { status: refused.response.status, ...bodyOf<{ error: string }>(refused.response) }

  it('compares an operation with the token', async () => {
    const { token, guard } = await openSpender([DOCS])
    expect(guard.covering(token, { type: 'folder', path: '/docs/a' })).toBeUndefined()
    for (const operation of [
      { type: 'folder', path: '/etc/' },
      PAYMENT,
      { type: 'folder' },
      { type: 'toString' },
    ]) {
      const refused = guard.covering(token, operation)
      expect(refused?.kind).toBe('refused')
      expect(reasonOf(refused)).toMatchObject({ status: 403, error: 'insufficient_authorization' })
      expect(refused?.response.headers['www-authenticate']).toContain('error="insufficient_authorization"')
    }
  })

  it('refuses every operation by a token without details', async () => {
    const service = open()
    const { access_token } = await plainTokensFor(service, await register(service))
    const token = await acceptedToken(service, access_token)
    expect(reasonOf(guardOf(service).covering(token, DOCS))).toMatchObject({ status: 403 })
  })

  it('does not hide the fault of a schema that throws', async () => {
    const { service, token } = await openSpender([DOCS])
    const path = z.string().refine(() => JSON.parse('a faulty schema'))
    const types = { folder: { schema: z.object({ path }), describe: () => 'Read' } }
    const guard = detailGuard({ api: service.api, types })
    expect(() => guard.covering(token, DOCS)).toThrow(SyntaxError)
  })

  it('writes what was spent to the place of its detail, and nothing for an operation that is not counted or not allowed', async () => {
    const { token, guard, spent } = await openSpender([DOCS, ALLOWANCE])
    expect(await guard.spend(token, { ...DOCS, path: '/docs/a' }, 'read')).toBeUndefined()
    expect(reasonOf(await guard.spend(token, { ...ALLOWANCE, amount: 101 }, 'much'))).toMatchObject({
      status: 403,
      error_description: expect.stringContaining('has not allowed'),
    })
    expect(await spent()).toBeUndefined()
    expect(await guard.spend(token, { ...ALLOWANCE, amount: 10 }, 'little')).toBeUndefined()
    const operations = [expect.stringMatching(/^[\w-]{16}$/)]
    expect(await spent()).toEqual({ 1: { total: 10, operations } })
  })

  it('takes nothing again for the newest 20 operations of a detail, though a second one covers them too', async () => {
    const { token, guard, spent } = await openSpender([ALLOWANCE, { ...ALLOWANCE, amount: 50 }])
    const spend = (at: number) => guard.spend(token, { ...ALLOWANCE, amount: 1 }, `operation ${at}`)
    for (let at = 0; at <= 20; at++) expect(await spend(at)).toBeUndefined()
    await spend(1)
    expect(await spent()).toMatchObject({ 0: { total: 21 } })
    await spend(0)
    expect(await spent()).toMatchObject({ 0: { total: 22, operations: { length: 20 } } })
  })

  it('counts an operation once that was written while the answer of the store was lost', async () => {
    const { service, token, guard, spent } = await openSpender([PAYMENT])
    const { grants } = service.store
    const replace: typeof grants.replace = (...written) =>
      grants.replace(...written).then(() => Promise.reject(new Error('The connection was lost')))
    const lossy = guardOf({ ...service, store: { ...service.store, grants: { ...grants, replace } } })
    await expect(lossy.spend(token, PAYMENT, 'payment')).rejects.toMatchObject({ status: 503 })
    expect(await guard.spend(token, PAYMENT, 'payment')).toBeUndefined()
    expect(await spent()).toMatchObject({ 0: { total: 1 } })
  })

  it('is a 503 after 16 lost races for the grant, with a pause before each but the first', async () => {
    const { service, token } = await openSpender([PAYMENT])
    let lost = 0
    const grants = { ...service.store.grants, replace: async () => ++lost > 20 }
    const contended = guardOf({ ...service, store: { ...service.store, grants } })
    const sleep = vi.spyOn(systemTime, 'sleep').mockResolvedValue()
    try {
      const refused = { status: 503, reason: 'contention' }
      await expect(contended.spend(token, PAYMENT, 'payment')).rejects.toMatchObject(refused)
      expect([lost, sleep.mock.calls.length]).toEqual([16, 15])
    } finally {
      sleep.mockRestore()
    }
  })

  it('counts an operation that is allowed once: the second one is refused, a repeated one is not', async () => {
    const service = open()
    const { client, tokens } = await tokensFor(service, [PAYMENT])
    const guard = guardOf(service)
    const token = await acceptedToken(service, tokens.access_token)
    expect(await guard.spend(token, PAYMENT, 'payment-1')).toBeUndefined()
    expect(await guard.spend(token, PAYMENT, 'payment-1')).toBeUndefined()
    expect(reasonOf(await guard.spend(token, PAYMENT, 'payment-2'))).toMatchObject({ status: 403 })
    expect(
      service.events.filter(({ type }) => (type as string) === 'authorization_detail_spent'),
    ).toHaveLength(1)
    // A new token of the grant has no new payment.
    const { access_token } = bodyOf<Answer>(await refresh(service, client, tokens.refresh_token))
    const renewed = await acceptedToken(service, access_token)
    expect(reasonOf(await guard.spend(renewed, PAYMENT, 'payment-3'))).toMatchObject({ status: 403 })
  })

  it('lets fifty operations at once have ten tenths of a budget', async () => {
    const { token, guard } = await openSpender([ALLOWANCE])
    const operations = Array.from({ length: 50 }, (_, at) =>
      guard.spend(token, { ...ALLOWANCE, amount: 10 }, `operation ${at}`).catch(() => 'contention'),
    )
    const outcomes = await Promise.all(operations)
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(10)
  })

  it('counts beside the terms: the grant refreshes, repeats and takes its form again, however much was spent', async () => {
    const service = open()
    const client = await register(service)
    const budgets = Array.from({ length: 8 }, (_, at) => ({ ...ALLOWANCE, amount: 1000 + at }))
    await ask(service, client, budgets)
    const { code = '' } = redirectOf(await allow(service))
    expect(redirectOf(await allow(service))).toHaveProperty('code', code)
    const { access_token, refresh_token } = bodyOf<Answer>(await redeem(service, client, code))
    const token = await acceptedToken(service, access_token)
    const guard = guardOf(service)
    const spend = (amount: number, id: string) => guard.spend(token, { ...ALLOWANCE, amount }, id)
    // The places are used from the first to the last.
    for (let at = 0; at < 8; at++) {
      for (let each = 0; each < 20; each++) expect(await spend(1, `operation ${at} ${each}`)).toBeUndefined()
      expect(await spend(980 + at, `rest ${at}`)).toBeUndefined()
    }
    const refreshed = await refresh(service, client, refresh_token)
    expect(bodyOf(refreshed)).toMatchObject({ authorization_details: budgets })
    expect(bodyOf(await refresh(service, client, refresh_token))).toEqual(bodyOf(refreshed))
    await allow(service)
    expect(service.events.at(-1)).toMatchObject({ reason: 'consent_ticket_spent' })
    const [grant] = (await service.server.grants.list('alice')).grants
    expect(grant?.terms).toEqual({ authorization_details: { details: budgets } })
    expect(reasonOf(await spend(1, 'one more'))).toMatchObject({ status: 403 })
  })

  it('counts what the schema reads: text that becomes a number, and a default', async () => {
    const { service, token, guard } = await openSpender([{ type: 'topUp', amount: 100 }])
    expect(await guard.spend(token, { type: 'topUp', amount: '40' }, 'a')).toBeUndefined()
    expect(await guard.spend(token, { type: 'topUp' }, 'b')).toBeUndefined()
    expect(service.events.slice(-2)).toMatchObject([{ amount: 40 }, { amount: 50 }])
    expect(reasonOf(await guard.spend(token, { type: 'topUp' }, 'c'))).toMatchObject({ status: 403 })
  })

  it('counts another operation with an id that was used', async () => {
    const { token, guard } = await openSpender([ALLOWANCE])
    expect(await guard.spend(token, { ...ALLOWANCE, amount: 1 }, 'order')).toBeUndefined()
    expect(await guard.spend(token, { ...ALLOWANCE, amount: 1 }, 'order')).toBeUndefined()
    expect(await guard.spend(token, { ...ALLOWANCE, amount: 99 }, 'order')).toBeUndefined()
    const more = await guard.spend(token, { ...ALLOWANCE, amount: 100 }, 'order')
    expect(reasonOf(more)).toMatchObject({ status: 403 })
  })

  it('takes no details that are for another API, also of a token that is for all', async () => {
    const service = open()
    const elsewhere = { ...DOCS, locations: ['https://files.example'] }
    const here = { ...DOCS, path: '/here/', locations: [ISSUER] }
    const { tokens } = await tokensFor(service, [elsewhere, here])
    const token = await acceptedToken(service, tokens.access_token)
    const guard = guardOf(service)
    expect(reasonOf(guard.covering(token, { type: 'folder', path: '/docs/a' }))).toMatchObject({
      status: 403,
    })
    expect(guard.covering(token, { type: 'folder', path: '/here/a' })).toBeUndefined()
  })

  it('gives a budget of a day once, though the clocks of two processes are of two days', async () => {
    const service = open()
    const { tokens } = await tokensFor(service, [{ type: 'daily', amount: 5 }])
    const token = await acceptedToken(service, tokens.access_token)
    const behind = guardOf(service)
    const { api, store, clock } = service
    const ahead = detailGuard({ api, types: TYPES, store, now: () => clock.now + 24 * 60 * 60 })
    const spend = (guard: typeof ahead, id: string) => guard.spend(token, { type: 'daily', amount: 5 }, id)
    expect(await spend(behind, 'today')).toBeUndefined()
    expect(await spend(ahead, 'tomorrow')).toBeUndefined()
    expect(reasonOf(await spend(behind, 'today again'))).toMatchObject({ status: 403 })
    expect(reasonOf(await spend(ahead, 'tomorrow again'))).toMatchObject({ status: 403 })
  })

  it('gives a budget of a day anew on the next day', async () => {
    const { service, token, guard } = await openSpender([{ type: 'daily', amount: 5 }])
    expect(await guard.spend(token, { type: 'daily', amount: 5 }, 'a')).toBeUndefined()
    expect(await guard.spend(token, { type: 'daily', amount: 1 }, 'b')).toBeDefined()
    service.clock.now += 24 * 60 * 60
    expect(await guard.spend(token, { type: 'daily', amount: 1 }, 'b')).toBeUndefined()
  })

  it('gives a budget of a day anew at midnight in UTC, and not before', async () => {
    const { service, token, guard, spent } = await openSpender([{ type: 'daily', amount: 5 }])
    const spendAt = (time: string, id: string) => {
      service.clock.now = Date.parse(time) / 1000
      return guard.spend(token, { type: 'daily', amount: 3 }, id)
    }
    expect(await spendAt('2027-01-15T12:00:00Z', 'a')).toBeUndefined()
    expect(reasonOf(await spendAt('2027-01-15T23:59:59Z', 'b'))).toMatchObject({ status: 403 })
    expect(await spent()).toMatchObject({ 0: { total: 3, day: '2027-01-15' } })
    expect(await spendAt('2027-01-16T00:00:00Z', 'b')).toBeUndefined()
    expect(await spent()).toMatchObject({ 0: { total: 3, day: '2027-01-16' } })
  })

  it('gives it anew after a clock that was years ahead', async () => {
    const service = open()
    const { tokens } = await tokensFor(service, [{ type: 'daily', amount: 5 }])
    const token = await acceptedToken(service, tokens.access_token)
    const { api, store, clock } = service
    const ahead = detailGuard({ api, types: TYPES, store, now: () => clock.now + 3650 * 24 * 60 * 60 })
    expect(await ahead.spend(token, { type: 'daily', amount: 5 }, 'a')).toBeUndefined()
    expect(await guardOf(service).spend(token, { type: 'daily', amount: 5 }, 'b')).toBeUndefined()
  })

  it.each([
    ['has ended meanwhile', ({ server }: Service, id: string) => server.grants.revoke('alice', id)],
    ['the store has forgotten meanwhile', ({ store }: Service, id: string) => store.grants.remove(id)],
  ])('refuses an operation of a grant that %s', async (_, end) => {
    const { service, token, guard } = await openSpender([PAYMENT])
    await end(service, token.grantId)
    expect(reasonOf(await guard.spend(token, PAYMENT, 'late'))).toMatchObject({ status: 401 })
  })

  it('needs the store for what it counts', () => {
    const { api } = open()
    expect(() => detailGuard({ api, types: TYPES })).toThrow('payment has uses')
  })

  it('without the store takes operations of types that are not counted', async () => {
    const { service, token } = await openSpender([DOCS])
    const guard = detailGuard({ api: service.api, types: { folder: TYPES.folder } as DetailTypes })
    expect(await guard.spend(token, DOCS, 'read')).toBeUndefined()
  })

  it('in another process needs to know the term: a token with details is refused without it', async () => {
    const { clock, store, ...service } = open()
    const { tokens } = await tokensFor({ clock, store, ...service }, [DOCS])
    const options = { resource: ISSUER, store, scopes: SCOPES, now: () => clock.now }
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const request = { method: 'GET', path: '/', query: '', body: '', headers }
    expect(await createResourceServer(options).access(request)).toMatchObject({ kind: 'refused' })
    const knowing = createResourceServer({ ...options, requestTerms: [detailClaims] })
    expect(await knowing.access(request)).toMatchObject({ kind: 'authorized' })
  })
})

it('a server without the feature ignores the parameter, and has no metadata of it', async () => {
  const service = openService()
  const client = await register(service)
  expect(await ask(service, client, [PAYMENT])).toMatchObject({ status: 200, body: 'consent' })
  expect(service.shown.consent).not.toHaveProperty('terms')
  const resource = await service.send('GET', '/.well-known/oauth-protected-resource')
  for (const metadata of [service.server.metadata, bodyOf(resource)])
    expect(metadata).not.toHaveProperty('authorization_details_types_supported')
})

const inWords = () => 'Do it'

it.each([
  ['no type', {}, 'types has no type'],
  ['a bad name', { 'a b': TYPES.deletion }, '"a b" is no name'],
  [
    'a field type',
    { a: { schema: z.object({ type: z.string() }), describe: inWords } },
    'has the field type',
  ],
  [
    'a budget without its field',
    { a: { schema: z.object({}), describe: inWords, uses: { budget: 'amount', per: 'day' } } },
    'has no field amount',
  ],
])('a server does not start with %s', (_, types, message) => {
  expect(() => authorizationDetails({ types: types as DetailTypes })).toThrow(message)
})
