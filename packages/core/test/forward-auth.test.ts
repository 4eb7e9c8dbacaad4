import { clientCredentials } from '@grantkit/core/client-credentials'
import { dpop } from '@grantkit/core/dpop'
import { type ForwardAuthOptions, forwardAuth } from '@grantkit/core/forward-auth'
import { describe, expect, it } from 'vitest'
import { bodyOf, register, type TokenAnswer, tokensFor } from './client.ts'
import { openPersonal } from './personal-tokens-service.ts'
import { ISSUER, openService, type Service } from './service.ts'

const PATH = '/api/oauth/verify'
const METADATA = `${ISSUER}/.well-known/oauth-protected-resource`

function openGateway(options: ForwardAuthOptions = {}) {
  return openService({ features: [forwardAuth(options)] })
}

async function withToken(
  overrides: Record<string, string | undefined> = {},
  options: ForwardAuthOptions = {},
) {
  const service = openGateway(options)
  const client = await register(service)
  const token = (await tokensFor(service, client, overrides)).access_token
  return { service, client, token }
}

function ask(service: Service, token: string | undefined, query = 'scope=courses:read', method = 'GET') {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return service.send(method, PATH, { query, headers })
}

describe('the verification request of a gateway', () => {
  it('returns the user, the client and the scopes of a valid token', async () => {
    const { service, client, token } = await withToken()
    expect(await ask(service, token)).toEqual({
      // Envoy accepts only the status 200.
      status: 200,
      headers: {
        'x-auth-subject': 'alice',
        'x-auth-client': client.clientId,
        'x-auth-scope': 'openid profile courses:read',
        'cache-control': 'no-store',
      },
      body: '',
    })
  })

  it('is answered alike for every method, since a gateway may forward the method of its caller', async () => {
    const { service, token } = await withToken()
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      expect((await ask(service, token, undefined, method)).status, method).toBe(200)
      expect((await ask(service, undefined, undefined, method)).status, method).toBe(401)
    }
  })

  it('needs a valid token even without a required scope', async () => {
    const { service, token } = await withToken()
    expect((await ask(service, token, '')).status).toBe(200)
    expect((await ask(service, undefined, '')).status).toBe(401)
    expect((await ask(service, 'gka_nothing', '')).status).toBe(401)
  })

  it('without a token gets the challenge of the guard, and no identity', async () => {
    const response = await ask(openGateway(), undefined)
    expect(response.status).toBe(401)
    expect(response.headers['www-authenticate']).toBe(
      `Bearer scope="courses:read", resource_metadata="${METADATA}"`,
    )
    expect(Object.keys(response.headers).filter((name) => name.startsWith('x-auth-'))).toEqual([])
  })

  it('is a 403 for a scope that the token lacks, with the scope in the challenge', async () => {
    const { service, token } = await withToken()
    const response = await ask(service, token, 'scope=courses:write')
    expect([response.status, bodyOf(response).error]).toEqual([403, 'insufficient_scope'])
    expect(response.headers['www-authenticate']).toContain('scope="courses:write"')
  })

  it.each([
    ['a scope that does not exist', 'scope=courses:reed'],
    ['a scope next to one that does not exist', 'scope=courses:read%20courses:reed'],
    ['a scope that would break out of the challenge', 'scope=a%22%2C%20b%3D%22'],
    ['scopes that no space separates', 'scope=courses:read,openid'],
    ['scope sent twice', 'scope=courses:read&scope=openid'],
    ['a scope without a value', 'scope='],
    ['a scope without a value next to one', 'scope=courses:read&scope'],
  ])('is a 403 and logged for %s, with and without a token', async (_, query) => {
    const { service, token } = await withToken()
    for (const presented of [token, undefined]) {
      const response = await ask(service, presented, query)
      expect([response.status, response.headers['www-authenticate']]).toEqual([403, undefined])
      expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'verify_scope_unknown' })
    }
  })

  it.each(['acr_values=', 'acr_values', 'max_age=', 'acr_values=&max_age=60'])(
    'is a 403 and logged for the demand %s, which has no value',
    async (demand) => {
      const { service, token } = await withToken()
      expect((await ask(service, token, `scope=courses:read&${demand}`)).status).toBe(403)
      expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'verify_sign_in_unknown' })
    },
  )

  it('rejects a token for another resource, and accepts it for its own resource', async () => {
    const resource = `${ISSUER}/mcp`
    const other = await withToken({ resource })
    expect((await ask(other.service, other.token)).status).toBe(401)
    const same = await withToken({ resource }, { resource })
    expect((await ask(same.service, same.token)).status).toBe(200)
    const challenge = String((await ask(same.service, undefined)).headers['www-authenticate'])
    expect(challenge).toContain('/.well-known/oauth-protected-resource/mcp"')
  })

  it('rejects a token that was revoked or has expired', async () => {
    const { service, client, token } = await withToken()
    service.clock.now += 3600
    expect((await ask(service, token)).status).toBe(401)
    const later = (await tokensFor(service, client)).access_token
    expect((await ask(service, later)).status).toBe(200)
    const [grant] = (await service.server.grants.list('alice')).grants
    await service.server.grants.revoke('alice', String(grant?.id))
    expect((await ask(service, later)).status).toBe(401)
  })

  it('has no CORS headers', async () => {
    const { service, token } = await withToken()
    expect((await ask(service, token)).headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each(['zoë', 'alice ', ' alice', 'alice\r\nX-Auth-Scope: all', '', '-'])(
    'fails if the subject %j would change in a header',
    async (subject) => {
      const session = async () => ({ id: 's', subject, authTime: 1_800_000_000 })
      const { service, token } = await withTokenOf(session)
      expect((await ask(service, token)).status).toBe(500)
    },
  )
})

async function withTokenOf(session: () => Promise<{ id: string; subject: string; authTime: number }>) {
  const service = openService({
    features: [forwardAuth()],
    interaction: {
      session,
      signIn: () => ({ status: 303, headers: {}, body: '' }),
      consentPage(view) {
        Object.assign(service.shown, { consent: view })
        return { status: 200, headers: {}, body: '' }
      },
      errorPage: (view) => ({ status: view.status, headers: {}, body: view.description }),
    },
  })
  const client = await register(service)
  return { service, token: (await tokensFor(service, client)).access_token }
}

describe('a client-credentials token', () => {
  async function job(options: ForwardAuthOptions) {
    const service = openService({ features: [clientCredentials(), forwardAuth(options)] })
    const { clientId: client_id, clientSecret: client_secret } = await service.server.clients.add({
      clientName: 'Job',
      redirectUris: [],
      grantTypes: ['client_credentials'],
      clientCredentialsScopes: ['courses:read'],
    })
    const form = { grant_type: 'client_credentials', client_id, client_secret: String(client_secret) }
    const answer = await service.send('POST', '/api/oauth/token', { form })
    return { service, client_id, token: bodyOf<TokenAnswer>(answer).access_token }
  }

  it('does not pass unless the option clientCredentials is on', async () => {
    const { service, token } = await job({})
    expect((await ask(service, token)).status).toBe(403)
  })

  it('has a hyphen as its subject, since some gateways drop an empty header', async () => {
    const { service, token, client_id } = await job({ clientCredentials: true })
    expect(await ask(service, token)).toMatchObject({
      status: 200,
      headers: { 'x-auth-subject': '-', 'x-auth-client': client_id, 'x-auth-scope': 'courses:read' },
    })
    expect((await ask(service, token, 'scope=courses:write')).status).toBe(403)
  })
})

it('a server without the feature has no such endpoint', () => {
  expect(openService().server.routes.map(({ path }) => path)).not.toContain(PATH)
})

it('an unknown resource fails at creation', () => {
  expect(() => openGateway({ resource: 'https://elsewhere.example' })).toThrow(
    'forwardAuth: resource must be one of the resources of the server',
  )
})

describe('the origin of the gateway', () => {
  it.each(['notes.example', 'ftp://notes.example', 'xhttps://notes.example', 'https://[', 'https://'])(
    'must be an http or https origin: %s fails at creation',
    (origin) => {
      expect(() => forwardAuth({ origin })).toThrow('forwardAuth: origin must be an http or https origin')
    },
  )

  it.each(['https://notes.example', 'http://notes.internal'])(
    'may be %s where DPoP is required',
    (origin) => {
      expect(() =>
        openService({ features: [dpop({ required: true }), forwardAuth({ origin })] }),
      ).not.toThrow()
    },
  )
})

it.each([
  [{}, 403],
  [{ personalTokens: true }, 200],
])('a personal access token with the options %j is answered with %d', async (options, status) => {
  const { create, service } = openPersonal({ server: { features: [forwardAuth(options)] } })
  const { text } = await create()
  expect((await ask(service, text)).status).toBe(status)
})
