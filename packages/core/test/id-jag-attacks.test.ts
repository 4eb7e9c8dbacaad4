import { createHmac } from 'node:crypto'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { JWT_BEARER, jwtBearer } from '@grantkit/core/jwt-bearer'
import { describe, expect, it } from 'vitest'
import {
  documentHost,
  IDP,
  idJag,
  idpKey,
  jwksOf,
  MCP,
  openForOrganization,
  PLATFORM,
  platformKey,
  present,
  RULE,
  TRUST,
  workloadToken,
} from './assertions.ts'
import { bodyOf, register, type TokenAnswer } from './client.ts'
import { ISSUER, openService, REDIRECT_URI } from './service.ts'
import { newKey } from './signed-assertions.ts'

const REFUSED = { status: 400, error: 'invalid_grant' }
const DESCRIPTION =
  'The assertion is not accepted. Check its issuer, type, signature, audience, times and jti, or ask the operator'

const APP = { clientName: 'App', redirectUris: [], grantTypes: [JWT_BEARER] }

const encoded = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')

async function grantsIn({ store }: Awaited<ReturnType<typeof openForOrganization>>['service']) {
  let records = 0
  for await (const _ of store.grants.scan()) records++
  return records
}

describe('an ID-JAG is refused', () => {
  it.each<[string, object, string]>([
    ['for another server', { aud: 'https://other.example' }, 'jwt_grant_audience'],
    ['for this server with a slash', { aud: `${ISSUER}/` }, 'jwt_grant_audience'],
    ['for its token endpoint', { aud: `${ISSUER}/api/oauth/token` }, 'jwt_grant_audience'],
    ['for two servers', { aud: [ISSUER, 'https://other.example'] }, 'jwt_grant_audience'],
    ['for this server twice', { aud: [ISSUER, ISSUER] }, 'jwt_grant_audience'],
    ['for no server', { aud: undefined }, 'jwt_grant_audience'],
    ['of an unknown issuer', { iss: 'https://evil.example' }, 'jwt_grant_issuer'],
    ['of the issuer with a slash', { iss: `${IDP}/` }, 'jwt_grant_issuer'],
    ['of the issuer in capitals', { iss: IDP.toUpperCase() }, 'jwt_grant_issuer'],
    ['of an issuer that is a list', { iss: [IDP] }, 'jwt_grant_issuer'],
    ['of this server', { iss: ISSUER }, 'jwt_grant_issuer'],
    ['for another client', { client_id: 'another' }, 'jwt_grant_client'],
    ['for no client', { client_id: undefined }, 'jwt_grant_claims'],
    ['without sub', { sub: undefined }, 'jwt_grant_claims'],
    ['with a sub that is a number', { sub: 7 }, 'jwt_grant_claims'],
    ['with a sub of 513 characters', { sub: 'x'.repeat(513) }, 'jwt_grant_claims'],
    ['without jti', { jti: undefined }, 'jwt_grant_claims'],
    ['without iat', { iat: undefined }, 'jwt_grant_claims'],
    ['without exp', { exp: undefined }, 'jwt_grant_claims'],
    ['with exp as text', { exp: '1800000300' }, 'jwt_grant_claims'],
    ['with a negative exp', { exp: -1 }, 'jwt_grant_claims'],
    ['with authorization_details', { authorization_details: [{ type: 'x' }] }, 'jwt_grant_claims'],
    ['with scopes that are badly written', { scope: 'a  b' }, 'jwt_grant_claims'],
    ['with a confirmation that is not understood', { cnf: { 'x5t#S256': 'x' } }, 'jwt_grant_claims'],
    ['for a resource of another server', { resource: 'https://other.example/mcp' }, 'jwt_grant_resource'],
    ['for one known and one unknown resource', { resource: [MCP, 'https://x.dev'] }, 'jwt_grant_resource'],
    ['for a resource of ours that the trust does not give', { resource: ISSUER }, 'jwt_grant_resource'],
  ])('%s', async (_, claims, reason) => {
    const { service, assistant } = await openForOrganization()
    const answer = await present(
      service,
      await idJag(service, assistant, { claims: { ...claims } }),
      assistant,
    )
    expect(answer).toMatchObject({ ...REFUSED, reason, body: { error_description: DESCRIPTION } })
    expect(await grantsIn(service)).toBe(0)
  })

  it.each<[string, (now: number) => object, string | undefined]>([
    ['expired 59 seconds ago', (now) => ({ iat: now - 300, exp: now - 59 }), undefined],
    ['expired a minute ago', (now) => ({ iat: now - 300, exp: now - 60 }), 'jwt_grant_expired'],
    ['issued in a minute', (now) => ({ iat: now + 60, exp: now + 300 }), undefined],
    ['issued later', (now) => ({ iat: now + 61, exp: now + 300 }), 'jwt_grant_early'],
    ['issued tomorrow', (now) => ({ iat: now + 86_400, exp: now + 86_700 }), 'jwt_grant_early'],
    ['valid from later', (now) => ({ nbf: now + 61 }), 'jwt_grant_early'],
    ['valid for six minutes', (now) => ({ exp: now + 360 }), undefined],
    ['valid for longer', (now) => ({ exp: now + 361 }), 'jwt_grant_too_long'],
    ['valid for a year', (now) => ({ exp: now + 31_536_000 }), 'jwt_grant_too_long'],
    ['with fractions of seconds', (now) => ({ iat: now + 60.9, exp: now + 300.5 }), undefined],
  ])('by its times: %s', async (_, times, reason) => {
    const { service, assistant } = await openForOrganization()
    const claims = { ...times(service.clock.now) }
    const answer = await present(service, await idJag(service, assistant, { claims }), assistant)
    expect(answer).toMatchObject(reason === undefined ? { status: 200 } : { ...REFUSED, reason })
  })

  it.each([
    ['an ID token', 'JWT'],
    ['an ID token without typ', undefined],
    ['an access token', 'at+jwt'],
    ['a DPoP proof', 'dpop+jwt'],
    ['a logout token', 'logout+jwt'],
    ['a security event', 'secevent+jwt'],
    ['a client assertion', 'client-authentication+jwt'],
    ['a type with application/ within', 'oauth-id-jag+application/jwt'],
  ])('that is %s of the same issuer', async (_, typ) => {
    const { service, assistant } = await openForOrganization()
    const answer = await present(
      service,
      await idJag(service, assistant, { header: { typ } as object }),
      assistant,
    )
    expect(answer).toMatchObject(REFUSED)
    expect(answer.reason).toMatch(/^jwt_grant_(typ|rule)$/)
  })

  it('whatever the letter case of its typ, with application/ or without, it is accepted', async () => {
    const { service, assistant } = await openForOrganization()
    for (const typ of ['OAuth-ID-JAG+JWT', 'application/oauth-id-jag+jwt'])
      expect(
        (await present(service, await idJag(service, assistant, { header: { typ } as object }), assistant))
          .status,
      ).toBe(200)
  })
})

describe('a forged ID-JAG is refused', () => {
  const header = { typ: 'oauth-id-jag+jwt', kid: idpKey.kid }
  const withHeader = async (assertion: string, changed: object, signature?: string) => {
    const [, claims, before] = assertion.split('.')
    return `${encoded({ ...header, ...changed })}.${claims}.${signature ?? before}`
  }

  it('with another algorithm than the trust accepts: none, HS256 with the public key, PS256', async () => {
    const { service, assistant } = await openForOrganization()
    const assertion = await idJag(service, assistant)
    const [, claims] = assertion.split('.')
    const hs = `${encoded({ ...header, alg: 'HS256' })}.${claims}`
    const mac = createHmac('sha256', JSON.stringify(idpKey.jwk)).update(hs).digest('base64url')
    const forged = [
      await withHeader(assertion, { alg: 'none' }),
      `${hs}.${mac}`,
      await withHeader(assertion, { alg: 'PS256' }),
      await withHeader(assertion, { alg: 'RS512' }),
    ]
    for (const one of forged)
      expect(await present(service, one, assistant)).toMatchObject({
        ...REFUSED,
        reason: 'jwt_grant_algorithm',
      })
    const unsecured = `${encoded({ ...header, alg: 'none' })}.${claims}.`
    expect(await present(service, unsecured, assistant)).toMatchObject({
      ...REFUSED,
      reason: 'jwt_grant_malformed',
    })
  })

  it('by an algorithm that the key is not for', async () => {
    const { service, assistant } = await openForOrganization({
      trust: { algorithms: ['ES256', 'RS256', 'PS256'] },
    })
    const assertion = await idJag(service, assistant)
    for (const alg of ['ES256', 'PS256'])
      expect(await present(service, await withHeader(assertion, { alg }), assistant)).toMatchObject({
        ...REFUSED,
        reason: 'jwt_grant_signature',
      })
  })

  it('by another algorithm than its key names', async () => {
    const keys = jwksOf(idpKey).keys.map((key) => ({ ...key, alg: 'PS256' }))
    const trust = { jwks: { keys }, algorithms: ['RS256', 'PS256'] }
    const { service, assistant } = await openForOrganization({ trust })
    expect((await present(service, await idJag(service, assistant), assistant)).reason).toBe(
      'jwt_grant_signature',
    )
  })

  it('by a key for encryption', async () => {
    const other = { ...(await newKey()), kid: 'signs' }
    const keys = [...jwksOf(idpKey).keys.map((key) => ({ ...key, use: 'enc' })), ...jwksOf(other).keys]
    const { service, assistant } = await openForOrganization({ trust: { jwks: { keys } } })
    expect((await present(service, await idJag(service, assistant), assistant)).reason).toBe(
      'jwt_grant_signature',
    )
  })

  it('by the key of another trusted issuer, with either kid', async () => {
    const other = { ...(await newKey()), kid: 'other-1' }
    const trusts = [TRUST, { ...TRUST, issuer: 'https://other.example', jwks: jwksOf(other) }]
    const { service, assistant } = await openForOrganization({ trusts })
    for (const kid of ['other-1', idpKey.kid, undefined]) {
      const assertion = await idJag(service, assistant, { key: { ...other, kid: kid as string } })
      expect((await present(service, assertion, assistant)).reason).toBe('jwt_grant_signature')
    }
  })

  it('without a kid by a key after the first eight, but not by an earlier one', async () => {
    const others = jwksOf(...(await Promise.all(Array.from({ length: 8 }, () => newKey('RS256'))))).keys
    for (const [count, status] of [
      [7, 200],
      [8, 400],
    ] as const) {
      const jwks = { keys: [...others.slice(0, count), ...jwksOf(idpKey).keys] }
      const { service, assistant } = await openForOrganization({ trust: { jwks } })
      const assertion = await idJag(service, assistant, { key: { ...idpKey, kid: '' } })
      expect((await present(service, assertion, assistant)).status).toBe(status)
    }
  })

  it('by a key in its own header, and no address in the header is asked', async () => {
    const { host, fetch } = documentHost({})
    const mine = { ...(await newKey('RS256')), kid: idpKey.kid }
    const { service, assistant } = await openForOrganization({ fetch })
    for (const trick of [
      { jwk: mine.jwk },
      { jku: 'https://10.0.0.7/keys' },
      { x5u: 'https://10.0.0.7/c' },
      { x5c: ['x'] },
    ]) {
      const assertion = await idJag(service, assistant, { key: mine, header: trick as object })
      expect((await present(service, assertion, assistant)).reason).toBe('jwt_grant_signature')
    }
    const unknown = await idJag(service, assistant, { claims: { iss: 'https://169.254.169.254' } })
    await present(service, unknown, assistant)
    expect(host.requests).toEqual([])
  })

  it('with a changed claim, a critical extension, five parts or other text', async () => {
    const { service, assistant } = await openForOrganization()
    const assertion = await idJag(service, assistant)
    const [head, claims = '', signature] = assertion.split('.')
    const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'U1' }
    expect((await present(service, `${head}.${encoded(changed)}.${signature}`, assistant)).reason).toBe(
      'jwt_grant_signature',
    )
    const crit = await withHeader(assertion, { alg: 'RS256', crit: ['exp'] })
    for (const text of [crit, `${assertion}.a.b`, `${assertion}=`, 'x', '..', `${head}.W10.${signature}`])
      expect((await present(service, text, assistant)).reason, text.slice(-20)).toBe('jwt_grant_malformed')
  })

  it('twice in the form, missing or longer than 16 KB, as a bad request', async () => {
    const { service, assistant } = await openForOrganization()
    const assertion = await idJag(service, assistant)
    const form = [
      ['grant_type', JWT_BEARER],
      ['client_id', assistant.clientId],
      ['client_secret', assistant.clientSecret ?? ''],
    ] as [string, string][]
    const bodies: [string, string][][] = [
      form,
      [...form, ['assertion', assertion], ['assertion', assertion]],
      [...form, ['assertion', 'x'.repeat(16 * 1024 + 1)]],
    ]
    for (const body of bodies)
      expect(bodyOf(await service.send('POST', '/api/oauth/token', { form: body }))).toMatchObject({
        error: 'invalid_request',
      })
  })
})

describe('a replayed ID-JAG', () => {
  it('is refused, also in parallel, and is forgotten only after it has expired', async () => {
    const { service, assistant } = await openForOrganization()
    const assertion = await idJag(service, assistant)
    const answers = await Promise.all(Array.from({ length: 8 }, () => present(service, assertion, assistant)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)])
    service.clock.now += 359
    expect((await present(service, assertion, assistant)).reason).toBe('jwt_grant_replayed')
    service.clock.now += 1
    expect((await present(service, assertion, assistant)).reason).toBe('jwt_grant_expired')
  })

  it('is refused with another signature too, and one jti of two issuers is two', async () => {
    const other = { ...(await newKey()), kid: 'other-1' }
    const trusts = [
      { ...TRUST, jwks: jwksOf(idpKey) },
      { ...TRUST, issuer: 'https://other.example', jwks: jwksOf(other) },
    ]
    const { service, assistant } = await openForOrganization({ trusts })
    const claims = { jti: 'one' }
    const send = async (change: object) =>
      present(service, await idJag(service, assistant, change), assistant)
    expect((await send({ claims })).status).toBe(200)
    expect((await send({ claims: { ...claims, scope: 'courses:read' } })).reason).toBe('jwt_grant_replayed')
    expect((await send({ claims: { ...claims, iss: 'https://other.example' }, key: other })).status).toBe(200)
  })

  it('is accepted until it expires if the trust says so, and counted', async () => {
    const counted: string[] = []
    const rateLimiter = {
      async take(limit: string, key: string) {
        counted.push(`${limit} ${key}`)
        return 0
      },
    }
    const { service, assistant } = await openForOrganization({
      trust: { replay: 'until-exp' },
      options: { rateLimiter },
    })
    const assertion = await idJag(service, assistant)
    for (let time = 0; time < 3; time++)
      expect((await present(service, assertion, assistant)).status).toBe(200)
    expect(counted).toHaveLength(3)
    expect(new Set(counted).size).toBe(1)
    service.clock.now += 360
    expect((await present(service, assertion, assistant)).reason).toBe('jwt_grant_expired')
  })

  it('is not marked by a request that was refused, nor by one without its signature', async () => {
    const { service, assistant } = await openForOrganization()
    const assertion = await idJag(service, assistant)
    const [head, claims] = assertion.split('.')
    await present(service, `${head}.${claims}.AAAA`, assistant)
    await present(service, assertion, assistant, { scope: 'students:read' })
    await present(service, assertion, assistant, { resource: ISSUER })
    expect((await present(service, assertion, assistant)).status).toBe(200)
  })

  it.each<[string, 'transients' | 'grants', () => Promise<boolean>]>([
    ['the marks', 'transients', () => Promise.reject(new Error('down'))],
    ['a new grant', 'grants', async () => false],
  ])('is no way around an outage: without %s nothing is issued', async (_, records, insert) => {
    const { service, assistant } = await openForOrganization()
    const { store } = service
    const broken = openService({
      store: { ...store, [records]: { ...store[records], insert } },
      features: [jwtBearer({ idJag: { trusts: [TRUST], subjectOf: async () => 'alice' } })],
    })
    const answer = await present(broken, await idJag(broken, assistant), assistant)
    expect([answer.status, answer.error]).toEqual([503, 'temporarily_unavailable'])
    expect(await grantsIn(broken)).toBe(0)
    expect(broken.events.map(({ type }) => type)).not.toContain('assertion_refused')
  })
})

describe('the client of an ID-JAG', () => {
  it('must authenticate: a stolen ID-JAG is worth nothing without the secret', async () => {
    const { service, assistant } = await openForOrganization()
    const assertion = await idJag(service, assistant)
    const { clientId } = assistant
    for (const form of [{}, { client_id: clientId }, { client_id: clientId, client_secret: 'wrong' }])
      expect((await present(service, assertion, undefined, form)).status).toBe(401)
    const other = await service.server.clients.add(APP)
    expect(await present(service, assertion, other)).toMatchObject({ ...REFUSED, reason: 'jwt_grant_client' })
    expect((await present(service, assertion, assistant)).status).toBe(200)
  })

  it('must be named by the trust and have the grant type', async () => {
    const { service, assistant } = await openForOrganization({ trust: { clients: ['another'] } })
    expect((await present(service, await idJag(service, assistant), assistant)).reason).toBe(
      'jwt_grant_client',
    )
    const app = await service.server.clients.add({ clientName: 'App', redirectUris: [REDIRECT_URI] })
    expect(await present(service, await idJag(service, app), app)).toMatchObject({
      error: 'unauthorized_client',
    })
  })

  it('is refused if it is public, unless the trust admits such clients', async () => {
    const client = { tokenEndpointAuthMethod: 'none' }
    const closed = await openForOrganization({ client })
    const answer = await present(
      closed.service,
      await idJag(closed.service, closed.assistant),
      closed.assistant,
    )
    expect(answer).toMatchObject({ status: 401, error: 'invalid_client', reason: 'jwt_grant_client_public' })
    const open = await openForOrganization({ client, trust: { publicClients: true } })
    expect(
      (await present(open.service, await idJag(open.service, open.assistant), open.assistant)).status,
    ).toBe(200)
  })

  it('is never one that registered itself, even if its record has the grant type', async () => {
    const trust = { ...TRUST, clients: [] as string[], publicClients: true }
    const { service } = await openForOrganization({ trusts: [trust] })
    const requested = { grant_types: ['authorization_code', JWT_BEARER] }
    const app = await register(service, { ...requested, token_endpoint_auth_method: 'client_secret_post' })
    expect(app).toMatchObject({ grant_types: ['authorization_code'] })
    trust.clients.push(app.clientId)
    const stored = await service.store.clients.find(app.clientId)
    if (stored === undefined) throw new Error('The client is not there')
    const changed = { ...stored.value, grantTypes: requested.grant_types }
    await service.store.clients.replace(app.clientId, stored, changed, changed.expiresAt)
    expect((await present(service, await idJag(service, app), app)).reason).toBe('jwt_grant_client')
  })
})

describe('the two profiles', () => {
  const workloads = [
    { ...RULE, issuer: IDP, jwks: jwksOf(idpKey), claims: { sub: 'U019488227' }, client: 'job' },
  ]
  const open = () =>
    openService({
      features: [jwtBearer({ idJag: { trusts: [TRUST], subjectOf: async () => 'alice' }, workloads })],
    })

  it('never meet: the token of a workload is no ID-JAG, and an ID-JAG is no workload', async () => {
    const service = open()
    const assistant = await service.server.clients.add(APP)
    const asWorkload = await idJag(service, assistant, { header: { typ: 'JWT' } })
    expect((await present(service, asWorkload, assistant)).reason).toBe('jwt_grant_rule')
    const asIdJag = await workloadToken(service, { header: { typ: 'oauth-id-jag+jwt' } })
    expect((await present(service, asIdJag, assistant)).reason).toBe('jwt_grant_issuer')
    const ofPlatform = await workloadToken(service, { key: platformKey, claims: { iss: PLATFORM } })
    expect((await present(service, ofPlatform, assistant)).reason).toBe('jwt_grant_rule')
  })

  it('without idJag, an ID-JAG has the wrong type', async () => {
    const service = openService({ features: [jwtBearer({ workloads })] })
    const assistant = await service.server.clients.add(APP)
    expect((await present(service, await idJag(service, assistant), assistant)).reason).toBe('jwt_grant_typ')
  })

  it('take no access token of this server, even if it trusted itself by mistake', async () => {
    const trustOf = async (issuer: string) => ({ ...TRUST, issuer, jwks: jwksOf(idpKey) })
    const feature = jwtBearer({ idJag: { trustOf, subjectOf: async () => 'alice' } })
    const features = [feature, jwtAccessTokens({ resources: { [MCP]: {} } })]
    const service = openService({ features, tokenClaims: ({ subject }) => ({ tenant: subject }) })
    const assistant = await service.server.clients.add(APP)
    const { body } = await present(service, await idJag(service, assistant), assistant)
    const { access_token } = body as unknown as TokenAnswer
    expect((await present(service, access_token, assistant)).reason).toBe('jwt_grant_typ')
    const ofItself = await idJag(service, assistant, { claims: { iss: ISSUER } })
    expect((await present(service, ofItself, assistant)).reason).toBe('jwt_grant_issuer')
  })
})

describe('a trust that is looked up', () => {
  it('must have the issuer of the ID-JAG: another one is a fault of the server', async () => {
    const asked: [string, string][] = []
    const trustOf = async (issuer: string, clientId: string) => {
      asked.push([issuer, clientId])
      return issuer === IDP ? TRUST : issuer === 'https://wrong.example' ? TRUST : undefined
    }
    const service = openService({
      features: [jwtBearer({ idJag: { trustOf, subjectOf: async () => 'alice' } })],
    })
    const assistant = await service.server.clients.add(APP)
    expect((await present(service, await idJag(service, assistant), assistant)).status).toBe(200)
    expect(asked).toEqual([[IDP, assistant.clientId]])
    const unknown = await idJag(service, assistant, { claims: { iss: 'https://unknown.example' } })
    expect((await present(service, unknown, assistant)).reason).toBe('jwt_grant_issuer')
    await present(service, await idJag(service, assistant, { claims: { iss: [IDP] } }), assistant)
    expect(asked.slice(1), 'a list is no issuer').toEqual([['https://unknown.example', assistant.clientId]])
    service.events.splice(0)
    const wrong = await idJag(service, assistant, { claims: { iss: 'https://wrong.example' } })
    expect((await present(service, wrong, assistant)).status).toBe(500)
    const message = `jwtBearer: trustOf returned a trust of ${IDP} for https://wrong.example`
    expect(service.events).toMatchObject([{ type: 'failed', cause: { message } }])
  })
})

describe('limits and events', () => {
  it('a client gets at most 60 tokens an hour for one user, and then a 429 that spends nothing', async () => {
    const used = new Map<string, number>()
    const rateLimiter = {
      async take(limit: string, key: string, { points }: { points: number }) {
        const name = `${limit} ${key}`
        used.set(name, (used.get(name) ?? 0) + 1)
        return Number(used.get(name)) > points ? 30 : 0
      },
    }
    const subjectOf = async () => 'alice'
    const { service, assistant } = await openForOrganization({ options: { rateLimiter }, subjectOf })
    for (let time = 0; time < 60; time++)
      expect((await present(service, await idJag(service, assistant), assistant)).status).toBe(200)
    const assertion = await idJag(service, assistant)
    const answer = await present(service, assertion, assistant)
    expect([answer.status, answer.reason, answer.headers['retry-after']]).toEqual([
      429,
      'too_many_jwt_grants',
      '30',
    ])
    const another = await idJag(service, assistant, { claims: { sub: 'another user' } })
    expect((await present(service, another, assistant)).status).toBe(200)
    used.clear()
    expect((await present(service, assertion, assistant)).status).toBe(200)
  })

  it('failures count for their issuer, and those of all unknown issuers together', async () => {
    const keys: string[] = []
    const rates: object[] = []
    const rateLimiter = {
      async take(limit: string, key: string, rate: object) {
        if (limit !== 'jwt_bearer_failure') return 0
        rates.push(rate)
        return keys.push(key) > 3 ? 30 : 0
      },
    }
    const { service, assistant } = await openForOrganization({ options: { rateLimiter } })
    const send = async (claims: object) =>
      present(service, await idJag(service, assistant, { claims: { ...claims } }), assistant)
    await send({ aud: 'https://other.example' })
    for (const iss of ['https://a.example', 'https://b.example']) await send({ iss })
    expect(keys.slice(1)).toEqual(['unknown', 'unknown'])
    expect(keys[0]).not.toBe('unknown')
    expect(rates[0]).toEqual({ points: 1000, seconds: 600 })
    const headers = { 'retry-after': '30' }
    expect(await send({ iss: 'https://c.example' })).toMatchObject({ status: 429, headers })
  })

  it('the event has the reason, issuer, client and the hash of jti, and never the assertion', async () => {
    const { service, assistant } = await openForOrganization()
    const assertion = await idJag(service, assistant, {
      claims: { aud: 'https://other.example', jti: 'secret-jti' },
    })
    await present(service, assertion, assistant)
    expect(service.events).toContainEqual({
      type: 'assertion_refused',
      reason: 'jwt_grant_audience',
      clientId: assistant.clientId,
      issuer: IDP,
      jtiHash: expect.stringMatching(/^[\w-]{43}$/),
    })
    await present(
      service,
      await idJag(service, assistant, { claims: { iss: 'x'.repeat(600), jti: 7 } }),
      assistant,
    )
    expect(service.events.at(-2)).toEqual({
      ...{ type: 'assertion_refused', reason: 'jwt_grant_issuer', clientId: assistant.clientId },
      issuer: 'x'.repeat(512),
    })
    const token = `gkr_${'a'.repeat(22)}.${'b'.repeat(43)}`
    const hostile = await idJag(service, assistant, { claims: { iss: `x\n\u202e${token}` } })
    await present(service, hostile, assistant)
    expect(service.events.at(-2)).toMatchObject({ issuer: expect.stringMatching(/^x\\u000a\\u202e/) })
    const log = JSON.stringify(service.events)
    for (const text of [token, assertion, assertion.split('.')[2], 'secret-jti'])
      expect(log).not.toContain(text)
  })
})

it('a short RSA key is no key of an issuer', () => {
  const jwk = { ...idpKey.jwk, n: String(idpKey.jwk.n).slice(0, 171) }
  const idJag = { trusts: [{ ...TRUST, jwks: { keys: [jwk] } }], subjectOf: async () => 'alice' }
  expect(() => openService({ features: [jwtBearer({ idJag })] })).toThrow(/no public key/)
})
