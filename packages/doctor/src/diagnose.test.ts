import { createAuthorizationServer } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import {
  AS,
  AUTHORIZE,
  failuresWith,
  header,
  html,
  INTERACTION,
  ISSUER,
  KEY,
  member,
  NOW,
  OIDC,
  openService,
  RESOURCE,
  SECRET,
  type Spoil,
  sendTo,
  status,
  TOKEN,
  USERINFO,
} from '../test/spoilt-server.ts'
import { diagnose, examine, type SendProbe } from './diagnose.ts'

describe('diagnose', () => {
  it('finds nothing wrong with this server', async () => {
    expect(await failuresWith({})).toEqual([])
  })

  it.each<[string, Record<string, Spoil>, string[]]>([
    ['an issuer with a slash', { [AS]: member('issuer', `${ISSUER}/`) }, ['issuer']],
    [
      'another issuer in the OpenID configuration',
      { [OIDC]: member('issuer', 'http://server.example') },
      ['issuer'],
    ],
    [
      'another server in the resource metadata',
      { [RESOURCE]: member('authorization_servers', ['https://old.example']) },
      ['issuer'],
    ],
    ['another resource', { [RESOURCE]: member('resource', 'http://server.example') }, ['resource-metadata']],
    ['no OpenID configuration', { [OIDC]: status(404) }, ['openid-configuration']],
    [
      'an endpoint on http',
      { [AS]: member('introspection_endpoint', 'http://server.example/x') },
      ['endpoints'],
    ],
    [
      'assertions without algorithms',
      { [AS]: member('token_endpoint_auth_methods_supported', ['none', 'private_key_jwt']) },
      ['client-authentication'],
    ],
    [
      'unsigned assertions',
      { [AS]: member('token_endpoint_auth_signing_alg_values_supported', ['none']) },
      ['client-authentication'],
    ],
    [
      'client credentials without an authentication method',
      {
        [AS]: (answer) =>
          member('token_endpoint_auth_methods_supported', ['none', 'client_secret_post'])(
            member('grant_types_supported', [
              'client_credentials',
              'urn:ietf:params:oauth:grant-type:device_code',
            ])(answer),
          ),
      },
      ['client-authentication'],
    ],
    [
      'answers to known clients without iss',
      { [AS]: member('authorization_response_iss_parameter_supported', undefined) },
      ['known-clients'],
    ],
    [
      'secrets that known clients do not have',
      { [AS]: member('token_endpoint_auth_methods_supported', ['client_secret_post']) },
      ['known-clients'],
    ],
    ['plain PKCE', { [AS]: member('code_challenge_methods_supported', ['plain', 'S256']) }, ['pkce']],
    [
      'a device grant without its endpoint',
      { [AS]: member('device_authorization_endpoint', undefined) },
      ['device-grant'],
    ],
    [
      'a device endpoint without its grant',
      { [AS]: member('grant_types_supported', ['authorization_code']) },
      ['device-grant'],
    ],
    ['a device endpoint that a proxy keeps', { '/api/oauth/device_authorization': html }, ['device-grant']],
    [
      'a private key for everybody',
      { '/api/oauth/jwks': member('keys', [{ kid: '1', alg: 'RS256', d: 'x' }]) },
      ['keys'],
    ],
    ['no key', { '/api/oauth/jwks': member('keys', []) }, ['keys']],
    ['documents for one origin', { [AS]: header('access-control-allow-origin', ISSUER) }, ['metadata-cors']],
    ['cached token answers', { [TOKEN]: header('cache-control', 'public') }, ['no-store']],
    [
      'CORS with credentials',
      { [TOKEN]: header('access-control-allow-credentials', 'true') },
      ['endpoint-cors'],
    ],
    ['CORS on a page', { [AUTHORIZE]: header('access-control-allow-origin', '*') }, ['authorize-cors']],
    ['error pages of a proxy', { [TOKEN]: html }, ['token-error', 'unknown-client']],
    ['a 400 for unknown clients', { [TOKEN]: status(400) }, ['endpoint-cors', 'unknown-client']],
    ['no challenge', { [USERINFO]: header('www-authenticate', 'Bearer') }, ['challenge']],
    ['a page that can be framed', { [AUTHORIZE]: header('content-security-policy', '') }, ['framing']],
    ['a page that is kept', { [AUTHORIZE]: header('cache-control', 'max-age=1') }, ['page-no-store']],
    ['a page that leaks its address', { [AUTHORIZE]: header('referrer-policy', 'origin') }, ['referrer']],
    [
      'a policy that blocks the way back',
      { [AUTHORIZE]: header('content-security-policy', "form-action 'self'; frame-ancestors 'none'") },
      ['form-action'],
    ],
    [
      'a way to the sign-in page that is no address',
      { [AUTHORIZE]: (answer) => ({ ...answer, status: 303, headers: { location: 'http://:' } }) },
      ['iss'],
    ],
    [
      'an answer without iss',
      { [AUTHORIZE]: header('location', 'http://127.0.0.1:49150/doctor?state=doctor%2Bstate') },
      ['iss'],
    ],
    [
      'a clock a minute ahead',
      { [AS]: header('date', new Date((1_800_000_000 + 60) * 1000).toUTCString()) },
      ['clock'],
    ],
  ])('finds %s', async (_, spoils, failures) => {
    expect(await failuresWith(spoils)).toEqual(failures)
  })

  it('accepts a page that only frame-ancestors protects', async () => {
    expect(await failuresWith({ [AUTHORIZE]: header('x-frame-options', '') })).toEqual([])
  })

  it('skips the checks of pages where the sign-in page is a redirect to an application', async () => {
    const redirect = (location: string) => ({ status: 303, headers: { location }, body: '' })
    const answers = { authorize: redirect('/login'), page: redirect('https://app.example/sign-in') }
    const findings = examine({ baseUrl: ISSUER, now: NOW, answers })
    const reason = 'the user is sent on to https://app.example, which the doctor did not read'
    for (const check of ['form-action', 'framing', 'referrer', 'page-no-store'])
      expect(findings).toContainEqual(expect.objectContaining({ id: check, verdict: 'skipped', reason }))
  })

  it('skips them too where the authorization endpoint has an error in place of a page', () => {
    const answers = { authorize: { status: 400, headers: {}, body: '' } }
    const findings = examine({ baseUrl: ISSUER, now: NOW, answers })
    const skipped = { verdict: 'skipped', reason: 'the authorization endpoint answered 400' }
    expect(findings.find(({ id }) => id === 'framing')).toMatchObject(skipped)
  })

  it('says that the header of CORS is missing, or what it allows', async () => {
    const seen = async (origin: string) => {
      const spoils = { [RESOURCE]: header('access-control-allow-origin', origin) }
      const findings = await diagnose(ISSUER, sendTo(openService(), spoils), { now: () => NOW })
      return findings.find(({ id }) => id === 'metadata-cors')?.seen
    }
    expect(await seen('')).toBe('resourceMetadata: the header Access-Control-Allow-Origin is missing')
    expect(await seen('https://one.example')).toBe('resourceMetadata allows "https://one.example"')
  })

  it('finds an ID token of another issuer, or of a key that is gone', async () => {
    const token = (kid: string, iss: string) =>
      [{ kid }, { iss }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    expect(await failuresWith({}, token(KEY.kid, ISSUER))).toEqual([])
    expect(await failuresWith({}, token(KEY.kid, `${ISSUER}/`))).toEqual(['id-token'])
    expect(await failuresWith({}, token('gone', ISSUER))).toEqual(['id-token'])
    expect(await failuresWith({}, 'nonsense')).toEqual(['id-token'])
  })

  it('reports a server without answers as a finding, not as an error', async () => {
    const findings = await diagnose(ISSUER, () => Promise.reject(new Error('connection refused')))
    expect(findings.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id)).toEqual([
      'server-metadata',
      'openid-configuration',
      'resource-metadata',
    ])
  })
})

describe('a server whose metadata name addresses of others', () => {
  const ELSEWHERE = 'http://169.254.169.254'
  const everywhere: Spoil = (answer) => ({
    ...answer,
    body: answer.body.replaceAll(`"${ISSUER}/`, `"${ELSEWHERE}/`),
  })

  it.each([
    ['asks no other origin by default', false, []],
    ['reads there if it must follow, and posts nothing', true, ['GET', 'OPTIONS']],
  ])('%s', async (_, follow, methods) => {
    const methodsSent: string[] = []
    const send = sendTo(openService(), { [AS]: everywhere })
    const counting: SendProbe = (probe) => {
      if (probe.url.startsWith(ELSEWHERE)) methodsSent.push(probe.method)
      return send(probe)
    }
    const findings = await diagnose(ISSUER, counting, { now: () => NOW, follow })
    expect([...new Set(methodsSent)]).toEqual(methods)
    expect(findings).toContainEqual(
      expect.objectContaining({ id: 'endpoints', seen: expect.stringContaining(ELSEWHERE) }),
    )
  })
})

const CHALLENGE = 'Bearer error="invalid_token", resource_metadata="https://server.example/metadata"'

describe('a server for an MCP server, without OpenID Connect', () => {
  const resource = `${ISSUER}/mcp`
  const service = createAuthorizationServer({
    issuer: ISSUER,
    store: createMemoryStore({ now: () => NOW }),
    scopes: { 'courses:read': { description: 'See courses' } },
    resources: [resource],
    secret: SECRET,
    now: () => NOW,
    interaction: INTERACTION,
  })
  const failures = async (requested: string | undefined) => {
    const findings = await diagnose(ISSUER, sendTo(service, {}), { now: () => NOW, resource: requested })
    return findings.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id)
  }

  it('is in good health without keys, at the resource that it has', async () => {
    expect(await failures(resource)).toEqual([])
  })

  describe.each([
    ['a challenge', 401, CHALLENGE, 'passed', 'passed'],
    ['a challenge without its metadata', 401, 'Bearer error="invalid_token"', 'passed', 'failed'],
    ['another error', 401, 'Bearer error="invalid_request", resource_metadata="x:"', 'failed', 'passed'],
    ['no route at its address', 404, '', 'skipped', 'skipped'],
  ])('whose answer to a bad token is %s', (_, status, challenge, badToken, named) => {
    it(`has ${badToken} bad-token, and ${named} challenge`, async () => {
      const send: SendProbe = async (probe) =>
        probe.url === resource && probe.headers?.authorization === 'Bearer doctor'
          ? { status, headers: { 'www-authenticate': challenge }, body: '' }
          : sendTo(service, {})(probe)
      const findings = await diagnose(ISSUER, send, { now: () => NOW, resource })
      const verdictOf = (id: string) => findings.find((finding) => finding.id === id)?.verdict
      expect([verdictOf('bad-token'), verdictOf('challenge')]).toEqual([badToken, named])
    })
  })

  it('lacks the metadata of a resource that it does not have', async () => {
    expect(await failures(undefined)).toEqual(['resource-metadata'])
  })
})
