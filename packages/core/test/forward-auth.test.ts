import { clientCredentials } from '@grantkit/core/client-credentials'
import { type ForwardAuthOptions, forwardAuth } from '@grantkit/core/forward-auth'
import { describe, expect, it } from 'vitest'
import { bodyOf, register, type TokenAnswer, tokensFor } from './client.ts'
import { ISSUER, openSchool, type School } from './school.ts'

const PATH = '/api/oauth/verify'
const METADATA = `${ISSUER}/.well-known/oauth-protected-resource`

function openGateway(options: ForwardAuthOptions = {}) {
  return openSchool({ features: [forwardAuth(options)] })
}

async function withToken(
  overrides: Record<string, string | undefined> = {},
  options: ForwardAuthOptions = {},
) {
  const school = openGateway(options)
  const client = await register(school)
  const token = (await tokensFor(school, client, overrides)).access_token
  return { school, client, token }
}

function ask(school: School, token: string | undefined, query = 'scope=courses:read', method = 'GET') {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return school.send(method, PATH, { query, headers })
}

describe('the verification request of a gateway', () => {
  it('returns the user, the client and the scopes of a valid token', async () => {
    const { school, client, token } = await withToken()
    expect(await ask(school, token)).toEqual({
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
    const { school, token } = await withToken()
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      expect((await ask(school, token, undefined, method)).status, method).toBe(200)
      expect((await ask(school, undefined, undefined, method)).status, method).toBe(401)
    }
  })

  it('needs a valid token even without a required scope', async () => {
    const { school, token } = await withToken()
    expect((await ask(school, token, '')).status).toBe(200)
    expect((await ask(school, undefined, '')).status).toBe(401)
    expect((await ask(school, 'gka_nothing', '')).status).toBe(401)
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
    const { school, token } = await withToken()
    const response = await ask(school, token, 'scope=courses:write')
    expect([response.status, bodyOf(response).error]).toEqual([403, 'insufficient_scope'])
    expect(response.headers['www-authenticate']).toContain('scope="courses:write"')
  })

  it.each([
    ['a scope that does not exist', 'scope=courses:reed'],
    ['a scope beside one that does not exist', 'scope=courses:read%20courses:reed'],
    ['a scope that would break out of the challenge', 'scope=a%22%2C%20b%3D%22'],
    ['scopes that no space separates', 'scope=courses:read,openid'],
    ['scope given twice', 'scope=courses:read&scope=openid'],
  ])('is a 403 that tells the operator for %s, with and without a token', async (_, query) => {
    const { school, token } = await withToken()
    for (const presented of [token, undefined]) {
      const response = await ask(school, presented, query)
      expect([response.status, response.headers['www-authenticate']]).toEqual([403, undefined])
      expect(school.events.at(-1)).toMatchObject({ type: 'refused', reason: 'verify_scope_unknown' })
    }
  })

  it('rejects a token for another resource, and accepts it for its own resource', async () => {
    const resource = `${ISSUER}/mcp`
    const other = await withToken({ resource })
    expect((await ask(other.school, other.token)).status).toBe(401)
    const same = await withToken({ resource }, { resource })
    expect((await ask(same.school, same.token)).status).toBe(200)
    const challenge = String((await ask(same.school, undefined)).headers['www-authenticate'])
    expect(challenge).toContain('/.well-known/oauth-protected-resource/mcp"')
  })

  it('rejects a token that was revoked or has expired', async () => {
    const { school, client, token } = await withToken()
    school.clock.now += 3600
    expect((await ask(school, token)).status).toBe(401)
    const later = (await tokensFor(school, client)).access_token
    expect((await ask(school, later)).status).toBe(200)
    const [grant] = (await school.server.grants.list('alice')).grants
    await school.server.grants.revoke('alice', String(grant?.id))
    expect((await ask(school, later)).status).toBe(401)
  })

  it('has no CORS headers', async () => {
    const { school, token } = await withToken()
    expect((await ask(school, token)).headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each(['zoë', 'alice ', ' alice', 'alice\r\nX-Auth-Scope: all', '', '-'])(
    'fails where the subject %j would be another one in a header',
    async (subject) => {
      const session = async () => ({ id: 's', subject, authTime: 1_800_000_000 })
      const { school, token } = await withTokenOf(session)
      expect((await ask(school, token)).status).toBe(500)
    },
  )
})

async function withTokenOf(session: () => Promise<{ id: string; subject: string; authTime: number }>) {
  const school = openSchool({
    features: [forwardAuth()],
    interaction: {
      session,
      signIn: () => ({ status: 303, headers: {}, body: '' }),
      consentPage(view) {
        Object.assign(school.shown, { consent: view })
        return { status: 200, headers: {}, body: '' }
      },
      errorPage: (view) => ({ status: view.status, headers: {}, body: view.description }),
    },
  })
  const client = await register(school)
  return { school, token: (await tokensFor(school, client)).access_token }
}

describe('a client-credentials token', () => {
  async function job(options: ForwardAuthOptions) {
    const school = openSchool({ features: [clientCredentials(), forwardAuth(options)] })
    const { clientId: client_id, clientSecret: client_secret } = await school.server.clients.add({
      clientName: 'Job',
      redirectUris: [],
      grantTypes: ['client_credentials'],
      clientCredentialsScopes: ['courses:read'],
    })
    const form = { grant_type: 'client_credentials', client_id, client_secret: String(client_secret) }
    const answer = await school.send('POST', '/api/oauth/token', { form })
    return { school, client_id, token: bodyOf<TokenAnswer>(answer).access_token }
  }

  it('does not pass unless the option clientCredentials is on', async () => {
    const { school, token } = await job({})
    expect((await ask(school, token)).status).toBe(403)
  })

  it('has a hyphen as its subject, since some gateways drop an empty header', async () => {
    const { school, token, client_id } = await job({ clientCredentials: true })
    expect(await ask(school, token)).toMatchObject({
      status: 200,
      headers: { 'x-auth-subject': '-', 'x-auth-client': client_id, 'x-auth-scope': 'courses:read' },
    })
    expect((await ask(school, token, 'scope=courses:write')).status).toBe(403)
  })
})

it('a server without the feature has no such endpoint', () => {
  expect(openSchool().server.routes.map(({ path }) => path)).not.toContain(PATH)
})

it('an unknown resource fails at creation', () => {
  expect(() => openGateway({ resource: 'https://elsewhere.example' })).toThrow(
    'forwardAuth: resource must be one of the resources of the server',
  )
})
