import { createResourceServer } from '@grantkit/core'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import {
  type Organization,
  type OrganizationsOptions,
  organizationClaims,
  organizations,
} from '@grantkit/core/organizations'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { describe, expect, it } from 'vitest'
import {
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
import { ISSUER, openService, REDIRECT_URI, SCOPES, type Service } from './service.ts'

const ACME = { id: 'org_acme', name: 'Acme' }
const BIRCH = { id: 'org_birch', name: 'Birch & Sons' }
const COBALT = { id: 'org_cobalt', name: 'Cobalt' }

/** Alice belongs to two organizations, Bob to one, Carol to none. */
function directory() {
  const members: Record<string, Organization[]> = { alice: [ACME, BIRCH], bob: [ACME] }
  const asked: string[] = []
  const of: OrganizationsOptions['of'] = async (subject) => {
    asked.push(subject)
    return members[subject] ?? []
  }
  return { members, asked, of }
}

type ServerOptions = NonNullable<Parameters<typeof openService>[0]>

function open(options: Partial<OrganizationsOptions> = {}, server: ServerOptions = {}) {
  const { members, asked, of } = directory()
  const feature = organizations({ of, ...options })
  const service = openService({ ...server, features: [feature, ...(server.features ?? [])] })
  return { service, members, asked, feature }
}

const cookieOf = (user: string) => ({ cookie: `user=${user}` })

/** The browser comes with a request; `undefined` leaves a parameter out. */
function ask(service: Service, client: ClientAnswer, more: Record<string, string> = {}, user = 'alice') {
  return authorize(service, authorizationQuery(client.clientId, more), cookieOf(user))
}

function choose(service: Service, organization: string | undefined, user = 'alice') {
  return decide(service, organization === undefined ? {} : { organization }, cookieOf(user))
}

async function tokensFor(service: Service, client: ClientAnswer, organization: string, user = 'alice') {
  await ask(service, client, {}, user)
  const { code = '' } = redirectOf(await choose(service, organization, user))
  return bodyOf<TokenAnswer>(await redeem(service, client, code))
}

function claimsOf(jwt: string) {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}

const shownIn = ({ shown }: Service) => shown.consent?.terms?.organization?.organizations.map(({ id }) => id)

describe('the consent page', () => {
  it('names the one organization of a user, and the grant is for it', async () => {
    const { service } = open()
    const client = await register(service)
    await ask(service, client, {}, 'bob')
    expect(service.shown.consent?.terms).toEqual({ organization: { organizations: [ACME] } })
    expect(redirectOf(await choose(service, ACME.id, 'bob'))).toHaveProperty('code')
    const { grants } = await service.server.grants.list('bob')
    expect(grants).toMatchObject([{ terms: { organization: ACME } }])
  })

  it('lets a user of several choose, and is shown again to one who did not', async () => {
    const { service } = open()
    const client = await register(service)
    await ask(service, client)
    expect(shownIn(service)).toEqual([ACME.id, BIRCH.id])
    expect(await choose(service, undefined)).toMatchObject({ status: 200, body: 'consent' })
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'user_decision_missing' })
    expect(redirectOf(await choose(service, BIRCH.id))).toHaveProperty('code')
  })

  it('is not shown for ever where it does not know the field of an organization that is fixed', async () => {
    const { service } = open()
    const client = await register(service)
    for (const [user, request] of [
      ['bob', {}],
      ['alice', { organization: BIRCH.id }],
    ] as const) {
      await ask(service, client, request, user)
      expect(redirectOf(await choose(service, undefined, user))).toMatchObject({ error: 'invalid_request' })
      expect(service.events.at(-1)).toMatchObject({ reason: 'user_decision_missing' })
    }
  })

  it('has names of at most 200 characters, and so has the grant', async () => {
    const { service, members } = open()
    members.bob = [{ id: 'org_long', name: 'é'.repeat(5000) }]
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client, 'org_long', 'bob')
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
    const { grants } = await service.server.grants.list('bob')
    expect(grants[0]?.terms?.organization?.name).toBe('é'.repeat(200))
  })

  it('has the organization that the request names, and no other one', async () => {
    const { service } = open()
    const client = await register(service)
    await ask(service, client, { organization: BIRCH.id })
    expect(shownIn(service)).toEqual([BIRCH.id])
  })

  it('reads a parameter of another name, if the operator says so', async () => {
    const { service } = open({ parameter: 'tenant' })
    const client = await register(service)
    await ask(service, client, { tenant: ACME.id, organization: BIRCH.id })
    expect(shownIn(service)).toEqual([ACME.id])
  })

  it.each(['allow', 'refuse'] as const)('for a user without an organization: %s', async (none) => {
    const { service } = open({ none })
    const client = await register(service)
    const answer = await ask(service, client, {}, 'carol')
    if (none === 'refuse') return expect(redirectOf(answer)).toMatchObject({ error: 'access_denied' })
    expect(shownIn(service)).toEqual([])
    const { code = '' } = redirectOf(await choose(service, undefined, 'carol'))
    const { access_token } = bodyOf<TokenAnswer>(await redeem(service, client, code))
    expect(await introspected(service, access_token)).not.toHaveProperty('org_id')
  })

  it('is not shown, and nothing is spent, while the organizations cannot be looked up', async () => {
    let down = true
    const of = async () => {
      if (down) throw new Error('the directory is down')
      return [ACME]
    }
    const { service } = open({ of })
    const client = await register(service)
    expect(redirectOf(await ask(service, client))).toMatchObject({ error: 'temporarily_unavailable' })
    down = false
    await ask(service, client)
    down = true
    expect(redirectOf(await choose(service, ACME.id))).toMatchObject({ error: 'temporarily_unavailable' })
    down = false
    expect(redirectOf(await choose(service, ACME.id))).toHaveProperty('code')
  })

  const list = (length: number, idLength = 8) =>
    Array.from({ length }, (_, at) => ({ id: String(at).padStart(idLength, 'x'), name: `Number ${at}` }))

  it.each<[string, Organization[], number | string]>([
    ['200 organizations', list(200), 200],
    ['201 organizations', list(201), 'organizations: of returns 201, more than 200'],
    ['an id of 200 characters', list(2, 200), 2],
    [
      'an id of 201 characters',
      list(1, 201),
      'organizations: of returns an id that has not 1 to 200 characters',
    ],
    [
      'an empty id',
      [{ id: '', name: 'Acme' }],
      'organizations: of returns an id that has not 1 to 200 characters',
    ],
  ])('of a user with %s is shown, or a fault of the application', async (_, found, expected) => {
    const { service } = open({ of: async () => found })
    const client = await register(service)
    const answer = await ask(service, client)
    if (typeof expected === 'number') return expect(shownIn(service)).toHaveLength(expected)
    expect(redirectOf(answer)).toMatchObject({ error: 'temporarily_unavailable' })
    expect(service.events.at(-1)).toMatchObject({ type: 'failed', cause: { message: expected } })
  })
})

describe('what went wrong elsewhere', () => {
  it('the active organization changes in another tab: the form of this tab still decides', async () => {
    const { service } = open()
    const client = await register(service)
    await ask(service, client)
    const first = service.shown.consent
    // The other tab gives another app the other organization.
    await tokensFor(service, await register(service), BIRCH.id)
    Object.assign(service.shown, { consent: first })
    const { code = '' } = redirectOf(await choose(service, ACME.id))
    const { access_token } = bodyOf<TokenAnswer>(await redeem(service, client, code))
    expect(await introspected(service, access_token)).toMatchObject({ org_id: ACME.id })
  })

  it('the organization is lost on the way: prompt=consent, a sign-in and PAR keep it', async () => {
    const { service } = open({}, { features: [pushedAuthorizationRequests()] })
    const client = await register(service)
    await ask(service, client, { organization: BIRCH.id, prompt: 'login consent' }, 'alice@1700000000')
    const back = String(service.shown.signIn).split('?')[1] ?? ''
    await authorize(service, back, cookieOf('alice@1800000000'))
    expect(shownIn(service)).toEqual([BIRCH.id])
    const form = Object.fromEntries(
      new URLSearchParams(authorizationQuery(client.clientId, { organization: ACME.id, prompt: 'consent' })),
    )
    const { request_uri = '' } = bodyOf<{ request_uri?: string }>(
      await service.send('POST', '/api/oauth/par', { form }),
    )
    await arrive(service, String(new URLSearchParams({ client_id: client.clientId, request_uri })))
    expect(shownIn(service)).toEqual([ACME.id])
  })

  it('a token is for the wrong organization: two grants of one user stay apart, whichever is newer', async () => {
    const { service } = open()
    const client = await register(service)
    const acme = await tokensFor(service, client, ACME.id)
    const birch = await tokensFor(service, client, BIRCH.id)
    expect(await introspected(service, acme.access_token)).toMatchObject({ org_id: ACME.id })
    expect(await introspected(service, birch.access_token)).toMatchObject({ org_id: BIRCH.id })
    const refreshed = bodyOf<TokenAnswer>(await refresh(service, client, acme.refresh_token))
    expect(await introspected(service, refreshed.access_token)).toMatchObject({ org_id: ACME.id })
  })

  it('a refresh goes into another organization: it is refused, and spends nothing', async () => {
    const { service, members } = open()
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client, ACME.id)
    const moved = await refresh(service, client, refresh_token, { organization: BIRCH.id })
    expect(bodyOf(moved)).toMatchObject({ error: 'invalid_target' })
    expect((await refresh(service, client, refresh_token, { organization: ACME.id })).status).toBe(200)
    members.bob = []
    await ask(service, client, {}, 'bob')
    const { code = '' } = redirectOf(await choose(service, undefined, 'bob'))
    const { refresh_token: without } = bodyOf<TokenAnswer>(await redeem(service, client, code))
    const into = await refresh(service, client, without, { organization: ACME.id })
    expect(bodyOf(into)).toMatchObject({ error: 'invalid_target' })
  })
})

describe('an attacker gets no other organization', () => {
  it.each([
    ['a form field of a foreign organization', {}, COBALT.id],
    ['a form field of an organization that does not exist', {}, 'org_none'],
    [
      'a form field that differs from the request, though the user is a member',
      { organization: ACME.id },
      BIRCH.id,
    ],
  ])('%s', async (_, request, field) => {
    const { service } = open()
    const client = await register(service)
    await ask(service, client, request)
    expect(redirectOf(await choose(service, field))).toMatchObject({ error: 'access_denied' })
    expect(service.events).toContainEqual(expect.objectContaining({ reason: 'organization_not_member' }))
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })

  it('a request that names one tells nobody whether it exists, and asks about nobody before the sign-in', async () => {
    const { service, asked } = open()
    const client = await register(service)
    const answers = [COBALT.id, 'org_none'].map(async (organization) =>
      redirectOf(await ask(service, client, { organization })),
    )
    const [foreign, unknown] = await Promise.all(answers)
    expect(foreign).toMatchObject({ error: 'access_denied' })
    expect(foreign).toEqual(unknown)
    asked.length = 0
    await authorize(service, authorizationQuery(client.clientId, { organization: ACME.id }), {})
    expect(asked).toEqual([])
  })

  it('a member who left between page and answer gets no code', async () => {
    const { service, members } = open()
    const client = await register(service)
    await ask(service, client)
    members.alice = [ACME]
    expect(redirectOf(await choose(service, BIRCH.id))).toMatchObject({ error: 'access_denied' })
  })

  it('two fields in one form are no choice', async () => {
    const { service } = open()
    const client = await register(service)
    await ask(service, client)
    const { ticket = '' } = service.shown.consent ?? {}
    const form: [string, string][] = [
      ...Object.entries({ ticket, decision: 'allow', scope: 'courses:read', organization: ACME.id }),
      ['organization', BIRCH.id],
    ]
    expect(redirectOf(await decide(service, form))).toMatchObject({ error: 'access_denied' })
  })

  it('a client that registers itself cannot say whose it is', async () => {
    const { service } = open()
    const client = await register(service, { organization: ACME.id })
    expect(await service.server.clients.find(client.clientId)).not.toHaveProperty('organization')
  })
})

describe('remembered consent', () => {
  it('counts for the organization it was given for, and prompt=none cannot choose', async () => {
    const { service, members } = open()
    const client = await service.server.clients.add({
      ...{ clientName: 'App', redirectUris: [REDIRECT_URI], rememberConsent: true },
    })
    await ask(service, client)
    await choose(service, ACME.id)
    const silent = async (more: object) => redirectOf(await ask(service, client, { prompt: 'none', ...more }))
    expect(await silent({ organization: ACME.id })).toHaveProperty('code')
    expect(await silent({ organization: BIRCH.id })).toMatchObject({ error: 'consent_required' })
    expect(await silent({})).toMatchObject({ error: 'interaction_required' })
    members.alice = [ACME]
    expect(await silent({})).toHaveProperty('code')
  })

  it('marks no scope as allowed before that was allowed for another organization', async () => {
    const { service } = open()
    const client = await register(service)
    await tokensFor(service, client, ACME.id)
    const allowed = async (organization: string) => {
      await ask(service, client, { organization })
      return service.shown.consent?.scopes.some(({ allowedBefore }) => allowedBefore)
    }
    expect([await allowed(ACME.id), await allowed(BIRCH.id)]).toEqual([true, false])
  })
})

describe('the claim', () => {
  it('is in ID tokens with the name, in introspection and at the guard, but not in the token response or UserInfo', async () => {
    const { service } = open()
    const client = await register(service)
    const tokens = await tokensFor(service, client, BIRCH.id)
    expect(claimsOf(tokens.id_token)).toMatchObject({ org_id: BIRCH.id, org_name: BIRCH.name })
    expect(tokens).not.toHaveProperty('org_id')
    expect(await introspected(service, tokens.access_token)).toMatchObject({ org_id: BIRCH.id })
    expect(await service.callApi(tokens.access_token)).toMatchObject({
      token: { claims: { org_id: BIRCH.id } },
    })
    const { clock, store } = service
    const requestTerms = [organizationClaims()]
    const guard = createResourceServer({
      resource: ISSUER,
      store,
      scopes: SCOPES,
      requestTerms,
      now: () => clock.now,
    })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const access = await guard.access({ method: 'GET', path: '/', query: '', body: '', headers })
    expect(access).toMatchObject({ token: { claims: { org_id: BIRCH.id } } })
    const user = await service.send('GET', '/api/oauth/userinfo', { headers })
    expect(bodyOf(user)).not.toHaveProperty('org_id')
    expect(service.server.metadata.claims_supported).toContain('org_id')
  })

  it('is in a JWT access token, and in one that was exchanged', async () => {
    const { service } = open(
      { claim: 'tenant' },
      { features: [jwtAccessTokens({ resources: { [ISSUER]: {} } }), tokenExchange()] },
    )
    const grant_types = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]
    const client = await register(service, { grant_types })
    await ask(service, client, { resource: ISSUER })
    const { code = '' } = redirectOf(await choose(service, BIRCH.id))
    const { access_token } = bodyOf<TokenAnswer>(await redeem(service, client, code))
    expect(claimsOf(access_token)).toMatchObject({ tenant: BIRCH.id })
    expect(claimsOf(access_token)).not.toHaveProperty('org_name')
    const exchange = {
      grant_type: TOKEN_EXCHANGE,
      subject_token: access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      ...credentials(client),
    }
    expect(claimsOf(bodyOf<TokenAnswer>(await requestToken(service, exchange)).access_token)).toMatchObject({
      tenant: BIRCH.id,
    })
    const moved = await requestToken(service, { ...exchange, organization: ACME.id })
    expect(bodyOf(moved)).toMatchObject({ error: 'invalid_target' })
  })

  it('is protected, and tokenClaims gets the organization, for roles in it', async () => {
    const tokenClaims: ServerOptions['tokenClaims'] = ({ grant }) => ({
      roles: [`editor of ${grant.terms?.organization?.id}`],
    })
    const { service } = open({}, { tokenClaims })
    const client = await register(service)
    const tokens = await tokensFor(service, client, ACME.id)
    expect(claimsOf(tokens.id_token)).toMatchObject({ roles: ['editor of org_acme'], org_id: ACME.id })
    const scopes = { ...SCOPES, email: { description: 'Mail', claims: ['org_id'] } }
    expect(() => open({}, { scopes })).toThrow('"email" cannot open org_id, a claim of the protocol')
  })
})

it.each(['sub', 'scope', 'org_name'])(
  'a server does not start with the claim %s for organizations',
  (claim) => {
    expect(() => organizations({ of: () => [], claim })).toThrow(`organizations: claim: ${claim}`)
  },
)

describe('a user who is no longer a member', () => {
  it('loses the grant at the next refresh, before the refresh token is spent', async () => {
    const { service, members } = open()
    const client = await register(service)
    const { refresh_token, access_token } = await tokensFor(service, client, ACME.id)
    members.alice = [BIRCH]
    const refused = await refresh(service, client, refresh_token)
    expect(bodyOf(refused)).toMatchObject({ error: 'invalid_grant' })
    const left = {
      type: 'organization_left',
      subject: 'alice',
      organization: ACME.id,
      clientId: client.clientId,
    }
    expect(service.events).toContainEqual(expect.objectContaining(left))
    expect(await introspected(service, access_token)).toEqual({ active: false })
  })

  it('is reported once the grant has ended, and not while the store is down', async () => {
    const { service, members } = open()
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client, ACME.id)
    members.alice = [BIRCH]
    const { grants } = service.store
    const { replace, remove } = grants
    const down = () => Promise.reject(new Error('The store is down'))
    Object.assign(grants, { replace: down, remove: down })
    try {
      expect(await refresh(service, client, refresh_token)).toMatchObject({ status: 503 })
    } finally {
      Object.assign(grants, { replace, remove })
    }
    const told = () => service.events.filter(({ type }) => (type as string) === 'organization_left')
    expect(told()).toEqual([])
    await refresh(service, client, refresh_token)
    expect(told()).toHaveLength(1)
  })

  it('loses no grant while the organizations cannot be looked up', async () => {
    let down = false
    const of = () => {
      if (down) throw new Error('the directory is down')
      return [ACME]
    }
    const { service } = open({ of })
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client, ACME.id)
    down = true
    expect(await refresh(service, client, refresh_token)).toMatchObject({ status: 503 })
    down = false
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
  })

  it('loses all grants of the organization when the operator ends them, and no other one', async () => {
    const { service, feature } = open()
    const client = await register(service)
    const acme = await tokensFor(service, client, ACME.id)
    const birch = await tokensFor(service, client, BIRCH.id)
    const bob = await tokensFor(service, client, ACME.id, 'bob')
    expect(await feature.endGrants({ organization: ACME.id, subject: 'alice' })).toBe(1)
    const active = ({ access_token }: TokenAnswer) => introspected(service, access_token)
    expect(await active(acme)).toEqual({ active: false })
    expect([await active(birch), await active(bob)]).toMatchObject([{ active: true }, { active: true }])
    expect(await feature.endGrants({ organization: ACME.id })).toBe(1)
    const { endGrants } = organizations({ of: () => [] })
    await expect(endGrants({ organization: ACME.id }), 'without a server').rejects.toThrow(
      'organizations: needs a server with this feature',
    )
  })
})

describe('without the consent page of a browser', () => {
  it('a device gets the organization that its user chooses', async () => {
    const { of } = directory()
    const { service, shown, start, enter, poll } = await openDeviceService({
      server: { features: [organizations({ of })] },
    })
    const started = await start()
    await enter(started.user_code)
    expect(shown.device?.terms).toMatchObject({ organization: { organizations: [ACME, BIRCH] } })
    const { action = '', ticket = '' } = shown.device ?? {}
    const [path = '', query = ''] = action.split('?')
    const form = { ticket, decision: 'allow', scope: 'courses:read', organization: BIRCH.id }
    await service.send('POST', path, { query, form, headers: cookieOf('alice') })
    const { access_token } = bodyOf<TokenAnswer>(await poll(started))
    expect(await introspected(service, access_token)).toMatchObject({ org_id: BIRCH.id })
  })

  it('a personal access token has the one of its form', async () => {
    const { of } = directory()
    const { tokens, create } = openPersonal({ server: { features: [organizations({ of })] } })
    expect(await tokens.terms('alice', 'en')).toMatchObject({
      organization: { organizations: [ACME, BIRCH] },
    })
    for (const form of [undefined, { organization: '' }])
      await expect(create({ form })).rejects.toMatchObject({ reason: 'user_decision_missing' })
    await expect(create({ form: { organization: COBALT.id } })).rejects.toMatchObject({
      error: 'access_denied',
    })
    const { token } = await create({ form: { organization: BIRCH.id } })
    expect(token.terms?.organization).toEqual(BIRCH)
  })

  it('a client without a user has the one that the operator gave it', async () => {
    const { service } = open({}, { features: [clientCredentials()] })
    const metadata = { redirectUris: [], grantTypes: ['client_credentials'] }
    const access = { clientCredentialsScopes: ['courses:read'], organization: ACME.id }
    const client = await service.server.clients.add({ ...metadata, ...access, clientName: 'Job' })
    const form = { grant_type: 'client_credentials', ...credentials(client) }
    const { access_token } = bodyOf<TokenAnswer>(await requestToken(service, form))
    expect(await introspected(service, access_token)).toMatchObject({ org_id: ACME.id })
  })
})
