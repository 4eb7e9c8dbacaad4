import { createResourceServer } from '@grantkit/core'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { dpop } from '@grantkit/core/dpop'
import { JWT_BEARER, jwtBearer, type WorkloadRule } from '@grantkit/core/jwt-bearer'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { signInAttempts, verdictOf } from '@grantkit/explain'
import { describe, expect, it } from 'vitest'
import {
  documentHost,
  jwksOf,
  openForWorkloads,
  PLATFORM,
  platformKey,
  present,
  RULE,
  signed,
  workloadToken,
} from './assertions.ts'
import { bodyOf, requestToken, type TokenAnswer } from './client.ts'
import { provingKey } from './dpop-key.ts'
import { proven } from './dpop-service.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'

/** Programs that present the token of their platform. */

const REFUSED = { status: 400, error: 'invalid_grant' }

function guardOf({ store, clock }: Service) {
  const scopes = { 'courses:read': { description: '' } }
  const api = createResourceServer({ resource: ISSUER, store, scopes, now: () => clock.now })
  const request = (token: string) => ({
    ...{ method: 'GET', path: '/', query: '', body: '' },
    headers: { authorization: `Bearer ${token}` },
  })
  return {
    users: (token: string) => api.access(request(token), 'courses:read'),
    programs: (token: string) =>
      api.allowing({ clientCredentials: true }).access(request(token), 'courses:read'),
  }
}

describe('the token of a workload', () => {
  it('gives a token for the client of the only rule that matches, without a client id and a secret', async () => {
    const { service, job } = await openForWorkloads()
    const { status, body } = await present(service, await workloadToken(service))
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^gka_/),
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'courses:read courses:write',
      },
    ])
    expect(service.events).toContainEqual(
      expect.objectContaining({
        type: 'assertion_exchanged',
        clientId: job.clientId,
        assertedSubject: 'deploy:main',
      }),
    )
  })

  it('has no user: routes for users refuse it, and routes for programs accept it', async () => {
    const { service, job } = await openForWorkloads({ claims: { sub: 'alice' } })
    const { body } = await present(service, await workloadToken(service, { claims: { sub: 'alice' } }))
    const { access_token } = body as unknown as TokenAnswer
    const { users, programs } = guardOf(service)
    expect(await users(access_token)).toMatchObject({ response: { status: 403 } })
    expect(await programs(access_token)).toMatchObject({
      token: {
        by: 'client',
        clientId: job.clientId,
        subject: undefined,
        workload: { issuer: PLATFORM, subject: 'alice' },
      },
    })
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })

  it('shows the program of its platform to a resource server that introspects it', async () => {
    const { service, job } = await openForWorkloads()
    const { body } = await present(service, await workloadToken(service))
    const api = await service.server.clients.add({
      clientName: 'API',
      redirectUris: [],
      resourceServer: true,
    })
    const form = {
      token: String(body.access_token),
      client_id: api.clientId,
      client_secret: api.clientSecret ?? '',
    }
    const answer = bodyOf(await service.send('POST', '/api/oauth/introspect', { form }))
    const workload = { issuer: PLATFORM, subject: 'deploy:main' }
    expect(answer).toMatchObject({ active: true, client_id: job.clientId, workload })
    expect(answer).not.toHaveProperty('sub')
  })

  it('cannot be exchanged for the token of a user', async () => {
    const { service } = await openForWorkloads({}, { features: [tokenExchange()] })
    const { body } = await present(service, await workloadToken(service))
    const other = await service.server.clients.add({
      ...{ clientName: 'Other', redirectUris: [], grantTypes: [TOKEN_EXCHANGE] },
      tokenExchangeResources: [ISSUER],
    })
    const form = { subject_token: String(body.access_token), subject_token_type: ACCESS_TOKEN_TYPE }
    const proof = { client_id: other.clientId, client_secret: other.clientSecret ?? '' }
    const answer = await requestToken(service, { grant_type: TOKEN_EXCHANGE, ...proof, ...form })
    expect(bodyOf(answer).error).toBe('invalid_request')
  })

  it('gives the requested scopes and resource, and no more than the rule', async () => {
    const { service } = await openForWorkloads({ scopes: ['courses:read'] })
    const form = { scope: 'courses:read courses:write', resource: `${ISSUER}/mcp` }
    const { body } = await present(service, await workloadToken(service), undefined, form)
    expect(body.scope).toBe('courses:read')
    expect((await guardOf(service).programs(String(body.access_token))).kind).toBe('refused')
    const none = await present(service, await workloadToken(service), undefined, { scope: 'courses:write' })
    expect(none).toMatchObject({ status: 400, error: 'invalid_scope' })
    const malformed = await present(service, await workloadToken(service), undefined, { scope: 'a  b' })
    expect(malformed).toMatchObject({ error: 'invalid_scope', reason: 'scope_malformed' })
    const elsewhere = { resource: 'https://evil.example' }
    const target = await present(service, await workloadToken(service), undefined, elsewhere)
    expect(target).toMatchObject({ status: 400, error: 'invalid_target' })
  })

  it('ends with the removal of its client, and by the operator', async () => {
    const { service, job } = await openForWorkloads()
    const token = async () => String((await present(service, await workloadToken(service))).body.access_token)
    const first = await token()
    expect(await service.server.grants.endOf({ issuer: PLATFORM, subject: 'deploy:main' })).toBe(1)
    expect((await guardOf(service).programs(first)).kind).toBe('refused')
    const second = await token()
    expect(await service.server.clients.remove(job.clientId)).toMatchObject({ grantsEnded: 1 })
    expect((await guardOf(service).programs(second)).kind).toBe('refused')
    expect(await present(service, await workloadToken(service))).toMatchObject({ status: 401 })
  })

  it.each<[string, unknown]>([
    ['the issuer', ISSUER],
    ['the token endpoint', `${ISSUER}/api/oauth/token`],
    ['a list of one', [ISSUER]],
  ])('is for %s', async (_, aud) => {
    const { service } = await openForWorkloads()
    expect((await present(service, await workloadToken(service, { claims: { aud } }))).status).toBe(200)
  })

  it('may be for the audiences of its rule alone, or for several servers if the rule says so', async () => {
    const aud = ['https://courses.example', 'https://other.example']
    const one = await openForWorkloads({ audiences: ['https://courses.example'] })
    const usual = await present(one.service, await workloadToken(one.service))
    expect(usual.reason).toBe('jwt_grant_audience')
    const several = await present(one.service, await workloadToken(one.service, { claims: { aud } }))
    expect(several.reason).toBe('jwt_grant_audience')
    const many = await openForWorkloads({ audiences: ['https://courses.example'], manyAudiences: true })
    expect((await present(many.service, await workloadToken(many.service, { claims: { aud } }))).status).toBe(
      200,
    )
  })

  it('is bound to a key by cnf, and gives a token for a resource with DPoP only to who has a key', async () => {
    const resources = [ISSUER, { resource: `${ISSUER}/mcp`, dpop: 'required' as const }]
    const { service } = await openForWorkloads({}, { features: [dpop()], resources })
    const [key, path, resource] = [provingKey(), '/api/oauth/token', ISSUER]
    const cnf = { jkt: key.thumbprint }
    const form = { grant_type: JWT_BEARER, resource }
    const assertion = () => workloadToken(service, { claims: { cnf } })
    const headers = proven(service, path, {}, key)
    const bound = await service.send('POST', path, {
      form: { ...form, assertion: await assertion() },
      headers,
    })
    expect(bodyOf(bound)).toMatchObject({ token_type: 'DPoP' })
    expect((await present(service, await assertion(), undefined, { resource })).reason).toBe('jwt_grant_key')
    const unbound = await workloadToken(service)
    expect((await present(service, unbound, undefined, { resource })).status).toBe(200)
    expect((await present(service, await workloadToken(service))).reason).toBe('resource_needs_proof')
  })

  it('is accepted once, and needs a jti', async () => {
    const { service } = await openForWorkloads()
    const token = await workloadToken(service)
    expect((await present(service, token)).status).toBe(200)
    expect((await present(service, token)).reason).toBe('jwt_grant_replayed')
    for (const jti of [undefined, '', 7]) {
      const without = await workloadToken(service, { claims: { jti } })
      expect((await present(service, without)).reason).toBe('jwt_grant_claims')
    }
  })

  it('that was used counts for no limit, so an assertion from a log cannot lock the workload out', async () => {
    const taken: string[] = []
    const rateLimiter = { take: async (limit: string) => taken.push(limit) && 0 }
    const { service } = await openForWorkloads({}, { rateLimiter, client: { tokensPerMinute: 5 } })
    const token = await workloadToken(service)
    expect((await present(service, token)).status).toBe(200)
    const counted = taken.filter((limit) => !limit.endsWith('failure'))
    expect((await present(service, token)).reason).toBe('jwt_grant_replayed')
    expect(taken.filter((limit) => !limit.endsWith('failure'))).toEqual(counted)
  })

  it('is accepted 20 times where the platform reuses it, also in parallel, and needs no jti', async () => {
    const { service } = await openForWorkloads({ replay: 'window' })
    const token = await workloadToken(service, { claims: { jti: undefined } })
    const answers = await Promise.all(Array.from({ length: 12 }, () => present(service, token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    for (let time = 0; time < 8; time++) expect((await present(service, token)).status).toBe(200)
    expect((await present(service, token)).reason).toBe('jwt_grant_replayed')
  })
})

describe('a rule', () => {
  const presentWith = async (rule: Partial<WorkloadRule>, claims: object) => {
    const { service } = await openForWorkloads(rule)
    const answer = await present(service, await workloadToken(service, { claims: { ...claims } }))
    return answer.status === 200 ? 'accepted' : answer.reason
  }

  it.each<[Record<string, string | string[]>, object, string]>([
    [{ sub: 'deploy:main' }, {}, 'accepted'],
    [{ sub: 'deploy:main' }, { sub: 'deploy:main2' }, 'jwt_grant_rule'],
    [{ sub: 'deploy:main' }, { sub: 'Deploy:main' }, 'jwt_grant_rule'],
    [{ sub: ['deploy:main', 'deploy:next'] }, { sub: 'deploy:next' }, 'accepted'],
    [{ sub: 'deploy:*' }, { sub: 'deploy:any' }, 'accepted'],
    [{ sub: 'deploy:*' }, { sub: 'deploy:1' }, 'accepted'],
    [{ ref_protected: 'true' }, { ref_protected: true }, 'accepted'],
    [{ sub: 'deploy:*' }, { sub: 'deploy:' }, 'jwt_grant_rule'],
    [{ sub: 'deploy:*' }, { sub: 'deployer' }, 'jwt_grant_rule'],
    [{ project_id: '22' }, { project_id: 22 }, 'accepted'],
    [{ project_id: '22' }, { project_id: '222' }, 'jwt_grant_rule'],
    [{ project_id: '22' }, { project_id: ['22'] }, 'jwt_grant_rule'],
    [
      { project_id: '22', ref_protected: 'true' },
      { project_id: '22', ref_protected: 'false' },
      'jwt_grant_rule',
    ],
    [{ 'kubernetes.io/namespace': 'prod' }, { 'kubernetes.io': { namespace: 'prod' } }, 'accepted'],
    [{ 'kubernetes.io/namespace': 'prod' }, { 'kubernetes.io': { namespace: 'test' } }, 'jwt_grant_rule'],
    [{ 'https://x.dev/team': 'a' }, { 'https://x.dev/team': 'a' }, 'accepted'],
    [{ toString: 'x' }, {}, 'jwt_grant_rule'],
  ])('with %j decides on %j: %s', async (required, claims, expected) => {
    expect(await presentWith({ claims: required }, claims)).toBe(expected)
  })

  it('that does not match is named in the step of the sign-in attempt, with the claims that differ', async () => {
    const claims = { sub: 'deploy:main', project_id: '22', ref: 'main' }
    const others = ['b', 'c', 'd'].map((client) => ({ client, claims: { sub: 'deploy:*', project_id: '2' } }))
    const { service, job } = await openForWorkloads([{ claims }, ...others], { observer: signInAttempts })
    const faultWith = async (claims: object) => {
      await present(service, await workloadToken(service, { claims: { ...claims } }))
      const steps = service.events.filter((event) => event.type === 'step')
      return verdictOf(steps.slice(-1), service.clock.now).compared[0]?.value
    }
    expect(await faultWith({ project_id: 22, ref: 'a secret branch' })).toBe(
      `iss ${PLATFORM}; claims that differ from the rule of ${job.clientId}: ref; of b: project_id; of c: project_id`,
    )
    expect(await faultWith({ sub: 'x', project_id: 22 })).toContain(`${job.clientId}: sub, ref; of b`)
    expect(await faultWith({ iss: 'https://evil.example/\n<b>' })).toBe(
      'no rule for iss https://evil.example/?<b>',
    )
    expect(await faultWith({ iss: 'x'.repeat(300) })).toBe(`no rule for iss ${'x'.repeat(200)}`)
    expect(await faultWith({ project_id: '2' })).toBe('several rules match')
  })

  it('must be the only one that matches, unless the request names the client', async () => {
    const { service, job } = await openForWorkloads([{}, { client: 'another', claims: { sub: 'deploy:*' } }])
    expect(await present(service, await workloadToken(service))).toMatchObject({
      ...REFUSED,
      reason: 'jwt_grant_rule',
    })
    const form = { client_id: job.clientId }
    expect((await present(service, await workloadToken(service), undefined, form)).status).toBe(200)
  })

  it('must name a client that is registered for nothing else', async () => {
    const features = [clientCredentials()]
    const grantTypes = [JWT_BEARER, 'client_credentials']
    const confidential = { tokenEndpointAuthMethod: 'client_secret_post', grantTypes }
    for (const client of [
      { redirectUris: [REDIRECT_URI] },
      { ...confidential, clientCredentialsScopes: ['courses:read'] },
    ]) {
      const { service, job } = await openForWorkloads({}, { client, features })
      const form = { client_id: job.clientId, ...(job.clientSecret && { client_secret: job.clientSecret }) }
      expect((await present(service, await workloadToken(service), undefined, form)).reason).toBe(
        'jwt_grant_client',
      )
    }
    const { service, job } = await openForWorkloads()
    const stored = await service.store.clients.find(job.clientId)
    if (stored === undefined) throw new Error('The client is not there')
    const changed = { ...stored.value, origin: 'registered' as const }
    await service.store.clients.replace(job.clientId, stored, changed, changed.expiresAt)
    expect((await present(service, await workloadToken(service))).reason).toBe('jwt_grant_client')
    const none = await openForWorkloads({ client: 'unregistered' })
    expect((await present(none.service, await workloadToken(none.service))).status).toBe(401)
  })

  it('of another issuer does not match, whoever has signed', async () => {
    const { service } = await openForWorkloads()
    for (const iss of [`${PLATFORM}/`, 'https://evil.example', undefined])
      expect((await present(service, await workloadToken(service, { claims: { iss } }))).reason).toBe(
        'jwt_grant_rule',
      )
  })

  it.each<[string, Partial<WorkloadRule>, RegExp]>([
    ['no condition', { claims: {} }, /claims must not be empty/],
    ['an empty list', { claims: { sub: [] } }, /the workload rule of job: claims must not be empty/],
    ['an empty list next to a value', { claims: { sub: 'x', ref: [] } }, /claims must not be empty/],
    ['* alone', { claims: { sub: '*' } }, /\* may only end a value/],
    ['* in the middle', { claims: { sub: 'repo:*/app' } }, /\* may only end a value/],
    ['* within a name', { claims: { sub: 'repo:acme*' } }, /\* may only end a value/],
    ['no issuer', { issuer: undefined }, /issuer or trustDomain/],
    [
      'no keys of a trust domain',
      { issuer: undefined, trustDomain: 'x', jwks: undefined },
      /of job needs jwks or jwksUri/,
    ],
    ['this server as issuer', { issuer: ISSUER }, /does not trust itself/],
    ['a scope of users', { scopes: ['openid'] }, /openid/],
    ['an unknown scope', { scopes: ['courses:grade'] }, /courses:grade/],
    ['no scope', { scopes: [] }, /scopes: must not be empty/],
    ['a lifetime of 0', { lifetime: 0 }, /: lifetime must/],
    ['assertions of 0 s', { maxAssertionLifetime: 0 }, /: maxAssertionLifetime must/],
    ['a resource of another server', { resources: ['https://x.dev'] }, /resources/],
  ])('with %s stops the start', (_, rule, message) => {
    const workloads = [{ ...RULE, client: 'job', ...rule }]
    const { fetch } = documentHost({})
    expect(() => openService({ features: [jwtBearer({ workloads, fetch })] })).toThrow(message)
  })

  it.each<[WorkloadRule['claims'], boolean]>([
    [{ repository: 'acme/app' }, false],
    [{ ref: 'refs/heads/main', environment: 'production' }, false],
    [{ sub: 'repo:*' }, false],
    [{ sub: 'exact' }, true],
    [{ sub: 'repo:acme/*' }, true],
    [{ sub: 'repo:acme/app:ref:refs/heads/main' }, true],
    [{ repository_owner_id: '1342004', ref: 'refs/heads/main' }, true],
    [{ repository_id: '74:*' }, false],
    [{ repository_id: ['74', '75:*'] }, false],
    [{ sub: ['repo:*', 'repo:acme/*'] }, false],
    [{ run_id: '7' }, false],
  ])('for GitHub Actions with %j: starts %s', (claims, starts) => {
    const rule = { ...RULE, issuer: 'https://token.actions.githubusercontent.com', claims, client: 'job' }
    const start = () => openService({ features: [jwtBearer({ workloads: [rule] })] })
    if (starts) expect(start).not.toThrow()
    else expect(start).toThrow(/others have tokens/)
    // An issuer whose keys are fetched may have other tenants, whichever it is.
    const fetch = () => Promise.reject(new Error('down'))
    const of = (more: Partial<WorkloadRule>) => () =>
      openService({ features: [jwtBearer({ workloads: [{ ...rule, ...more }], fetch })] })
    const unknown = { issuer: 'https://ci.example.com', jwks: undefined }
    if (starts) expect(of(unknown)).not.toThrow()
    else expect(of(unknown)).toThrow(/others have tokens.*shared: false/)
    expect(of({ ...unknown, shared: false })).not.toThrow()
    expect(of({ issuer: unknown.issuer }), 'its own keys').not.toThrow()
    if (!starts) expect(of({ issuer: unknown.issuer, shared: true })).toThrow(/others have tokens/)
  })

  it('needs a server that public clients can use', () => {
    const features = [jwtBearer({ workloads: [{ ...RULE, client: 'job' }] })]
    const clientAuthentication = ['client_secret_basic'] as const
    expect(() => openService({ features, clientAuthentication })).toThrow(/method none/)
  })
})

/** As the documentation of each platform shows them, with another audience: none was recorded from a platform. */
describe('the tokens of', () => {
  const open = (rule: Partial<WorkloadRule>) => openForWorkloads({ ...rule, jwks: jwksOf(platformKey) })

  it('GitHub Actions are known by the ids of repository and owner, and by the branch', async () => {
    const issuer = 'https://token.actions.githubusercontent.com'
    const claims = {
      repository_id: '74',
      repository_owner_id: '65',
      ref: 'refs/heads/main',
      environment: 'prod',
    }
    const { service } = await open({ issuer, claims })
    const token = {
      ...{
        jti: 'example-id',
        sub: 'repo:octo-org/octo-repo:environment:prod',
        environment: 'prod',
        aud: ISSUER,
      },
      ...{
        ref: 'refs/heads/main',
        sha: 'example-sha',
        repository: 'octo-org/octo-repo',
        repository_owner: 'octo-org',
      },
      ...{ actor_id: '12', repository_visibility: 'private', repository_id: '74', repository_owner_id: '65' },
      ...{
        run_id: 'example-run-id',
        runner_environment: 'github-hosted',
        actor: 'octocat',
        event_name: 'push',
      },
      ...{
        job_workflow_ref: 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main',
        iss: issuer,
      },
    }
    const times = { nbf: service.clock.now - 300, iat: service.clock.now, exp: service.clock.now + 300 }
    const send = async (changed = {}) =>
      present(service, await signed(platformKey, { ...token, ...times, ...changed }, { typ: 'JWT' }))
    expect((await send()).status).toBe(200)
    const fork = { jti: 'b', repository_id: '99', sub: 'repo:octo-org/octo-repo:pull_request' }
    expect((await send(fork)).reason).toBe('jwt_grant_rule')
    const renamed = { jti: 'c', sub: 'repo:octo-org@65/octo-repo@74:environment:prod' }
    expect((await send(renamed)).status).toBe(200)
  })

  it('GitLab are known by the project and a protected branch', async () => {
    const issuer = 'https://gitlab.com'
    const { service } = await open({
      issuer,
      claims: { project_id: '20', ref_protected: 'true', ref: 'main' },
    })
    const token = {
      ...{
        namespace_id: '72',
        namespace_path: 'my-group',
        project_id: '20',
        project_path: 'my-group/my-project',
      },
      ...{
        user_id: '1',
        user_login: 'sample-user',
        user_email: 'sample-user@example.com',
        pipeline_id: '574',
      },
      ...{
        job_id: '302',
        ref: 'main',
        ref_type: 'branch',
        ref_path: 'refs/heads/main',
        ref_protected: 'true',
      },
      ...{
        environment: 'test-environment2',
        environment_protected: 'false',
        runner_environment: 'self-hosted',
      },
      ...{ jti: '235b3a54-b797-45c7-ae9a-f72d7bc6ef5b', iss: issuer, aud: ISSUER },
      sub: 'project_path:my-group/my-project:ref_type:branch:ref:main',
    }
    const times = { nbf: service.clock.now - 5, iat: service.clock.now, exp: service.clock.now + 3600 }
    const send = async (changed = {}) =>
      present(service, await signed(platformKey, { ...token, ...times, ...changed }, { typ: 'JWT' }))
    expect((await send()).status).toBe(200)
    expect((await send({ jti: 'b', ref_protected: 'false' })).reason).toBe('jwt_grant_rule')
  })

  it('Kubernetes are known by the service account, have no typ, and are reused', async () => {
    const issuer = 'https://kubernetes.default.svc.cluster.local'
    const claims = { sub: 'system:serviceaccount:prod:importer', 'kubernetes.io/namespace': 'prod' }
    const { service } = await open({ issuer, claims, replay: 'window' })
    const { now } = service.clock
    const token = {
      ...{ aud: [ISSUER], iss: issuer, iat: now - 60, nbf: now - 60, exp: now + 3540 },
      ...{ jti: 'ea28ed49-2e11-4280-9ec5-bc3d1d84661a', sub: 'system:serviceaccount:prod:importer' },
      'kubernetes.io': {
        namespace: 'prod',
        pod: { name: 'importer-69bbc775f7-mqbcr', uid: 'b7ef2d0b-4ea7-4f82-b29c-5e0e6e5a4f6b' },
        serviceaccount: { name: 'importer', uid: '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' },
      },
    }
    const text = await signed(platformKey, token)
    for (let restart = 0; restart < 3; restart++) expect((await present(service, text)).status).toBe(200)
    const elsewhere = { ...token, 'kubernetes.io': { namespace: 'test' } }
    expect((await present(service, await signed(platformKey, elsewhere))).reason).toBe('jwt_grant_rule')
  })

  it('SPIFFE are known by the trust domain, need no iss and no jti, and their keys are for jwt-svid', async () => {
    const keys = jwksOf(platformKey).keys.map((key) => ({ ...key, use: 'jwt-svid' }))
    const rule = { issuer: undefined, trustDomain: 'prod.example', jwks: { keys }, replay: 'window' as const }
    const { service } = await openForWorkloads({
      ...rule,
      claims: { sub: 'spiffe://prod.example/ns/jobs/*' },
    })
    const send = async (sub: string, more = {}, header = {}) => {
      const times = { iat: service.clock.now, exp: service.clock.now + 300 }
      return present(service, await signed(platformKey, { sub, aud: [ISSUER], ...times, ...more }, header))
    }
    expect((await send('spiffe://prod.example/ns/jobs/importer')).status).toBe(200)
    expect((await send('spiffe://prod.example/ns/jobs/importer', {}, { typ: 'JOSE' })).status).toBe(200)
    const withIssuer = { iss: 'https://oidc.prod.example' }
    expect((await send('spiffe://prod.example/ns/jobs/importer', withIssuer)).status).toBe(200)
    for (const sub of [
      'spiffe://prod.example/ns/web/x',
      'spiffe://prod.example.evil/ns/jobs/x',
      'spiffe://other/ns/jobs/x',
      // SPIFFE ID 2.2: no dot segments, no empty ones, nothing percent-encoded.
      'spiffe://prod.example/ns/jobs/../web/x',
      'spiffe://prod.example/ns/jobs/./x',
      'spiffe://prod.example/ns/jobs/..',
      'spiffe://prod.example/ns/jobs//x',
      'spiffe://prod.example/ns/jobs/x/',
      'spiffe://prod.example/ns/jobs/%2e%2e/web',
      'spiffe://prod.example/ns/jobs/x?y',
      `spiffe://prod.example/ns/jobs/${'x'.repeat(2048)}`,
    ])
      expect((await send(sub)).reason, sub).toBe('jwt_grant_rule')
    const byTeam = await openForWorkloads({ ...rule, claims: { team: 'a' } })
    const ofTeam = async (sub: string) => {
      const claims = { sub, team: 'a', aud: ISSUER, exp: service.clock.now + 300 }
      return (await present(byTeam.service, await signed(platformKey, claims))).status
    }
    expect([await ofTeam('spiffe://prod.example/x'), await ofTeam('spiffe://prod.example.evil/x')]).toEqual([
      200, 400,
    ])
    expect(service.events).toContainEqual(
      expect.objectContaining({ type: 'assertion_exchanged', issuer: 'spiffe://prod.example' }),
    )
    const plain = { ...RULE, client: 'job', jwks: { keys } }
    const forX509 = { ...plain, ...rule, jwks: { keys: keys.map((key) => ({ ...key, use: 'x509-svid' })) } }
    for (const one of [plain, forX509])
      expect(() => openService({ features: [jwtBearer({ workloads: [one] })] })).toThrow(/no public key/)
  })
})
