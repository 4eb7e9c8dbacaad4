import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { App, REDIRECT_URI } from './app.ts'
import type { Bench } from './bench.ts'
import { onTheService } from './on-both-stores.ts'
import { expectError, expectInvalidClient } from './safe-answers.ts'

/** Client assertions and client credentials. */

const keys = await generateKeyPair('ES256')
const jwks = { keys: [await exportJWK(keys.publicKey)] }
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const SIGNED = { tokenEndpointAuthMethod: 'private_key_jwt', jwks }

let count = 0

async function assertion(bench: Bench, clientId: string, claims: object = {}, header: object = {}) {
  const now = Math.floor(Date.now() / 1000)
  const usual = {
    iss: clientId,
    sub: clientId,
    aud: bench.base,
    iat: now,
    exp: now + 300,
    jti: `jti-${++count}`,
  }
  const client_assertion = await new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', ...header })
    .sign(keys.privateKey)
  return { client_assertion, client_assertion_type: TYPE }
}

async function addJob(bench: Bench, metadata: object = {}) {
  return bench.service.clients.add({
    clientName: 'Job',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: ['courses:read', 'courses:write'],
    ...metadata,
  })
}

async function clientCredentialsToken(
  bench: Bench,
  { clientId: client_id, clientSecret: client_secret = '' }: Awaited<ReturnType<typeof addJob>>,
) {
  const answer = await bench.post('/api/oauth/token', {
    grant_type: 'client_credentials',
    client_id,
    client_secret,
  })
  expect(answer.status, answer.body).toBe(200)
  return String(bench.keepTokens(answer).json().access_token)
}

const call = (bench: Bench, token: string, target: string, method = 'GET') =>
  bench.send(target, { method, headers: [['Authorization', `Bearer ${token}`]] })

onTheService(
  'client credentials',
  (bench) => {
    it('CA-16: an assertion for another server, or for two, is rejected, and consumes no code', async () => {
      const app = await App.arrange(bench, SIGNED)
      const code = await app.code()
      for (const aud of [
        'https://evil.example',
        [bench.base, 'https://evil.example'],
        `${bench.base}/api/oauth/token`,
        `${bench.base}/`,
      ])
        expectInvalidClient(await app.redeem(code, await assertion(bench, app.id, { aud })), String(aud))
      expect((await app.redeem(code, await assertion(bench, app.id))).status).toBe(200)
    })

    it('CA-17: a client cannot use the credentials of another one with its own assertion', async () => {
      const [app, other] = [await App.arrange(bench, SIGNED), await App.arrange(bench, SIGNED, 'bob')]
      const code = await app.code()
      expectInvalidClient(await app.redeem(code, await assertion(bench, other.id)))
      const own = { client_id: undefined, ...(await assertion(bench, other.id)) }
      expectError(await app.redeem(code, own), 'invalid_grant')
      expect((await app.redeem(code, await assertion(bench, app.id))).status).toBe(200)
    })

    it('CA-18: an assertion is accepted once, even with concurrent requests to any endpoint', async () => {
      const app = await App.arrange(bench, { ...SIGNED, redirectUris: [REDIRECT_URI] })
      const form = { token: 'x', ...(await assertion(bench, app.id)) }
      const paths = ['/api/oauth/introspect', '/api/oauth/revoke']
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => bench.post(paths[index % 2] ?? '', form)),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const answer of answers) if (answer.status !== 200) expectInvalidClient(answer)
    })

    it('CA-19: no other JWT that the key of a client signed authenticates it', async () => {
      const app = await App.arrange(bench, SIGNED)
      const form = async (claims: object, header: object) => ({
        token: 'x',
        client_id: app.id,
        ...(await assertion(bench, app.id, claims, header)),
      })
      for (const typ of ['at+jwt', 'dpop+jwt', 'logout+jwt', 'oauth-authz-req+jwt', 'secevent+jwt'])
        expectInvalidClient(await bench.post('/api/oauth/introspect', await form({}, { typ })), typ)
      for (const claims of [{ jti: undefined }, { exp: undefined }, { sub: 'alice-id' }, { exp: 2 ** 40 }])
        expectInvalidClient(
          await bench.post('/api/oauth/introspect', await form(claims, {})),
          JSON.stringify(claims),
        )
    })

    it('MA-01: a client-credentials token gives no access to the data of a user', async () => {
      const token = await clientCredentialsToken(bench, await addJob(bench))
      expect((await call(bench, token, '/api/courses')).status).toBe(200)
      for (const target of ['/api/students', '/api/account', '/api/orders', '/api/oauth/userinfo']) {
        const answer = await call(bench, token, target)
        expectError(answer, 'insufficient_scope', target, [403])
        expect(answer.header('www-authenticate'), target).toMatch(/^Bearer error="insufficient_scope"/)
      }
    })

    it('MA-02: no self-registered client gets the grant, whatever it requests', async () => {
      const request = {
        grant_types: ['authorization_code', 'client_credentials'],
        client_credentials_scopes: 'courses:write',
      }
      for (const token_endpoint_auth_method of ['none', 'client_secret_post', 'client_secret_basic']) {
        const app = await App.register(bench, { ...request, token_endpoint_auth_method })
        const form = { ...app.credentials, grant_type: 'client_credentials', scope: 'courses:write' }
        expectError(await app.token(form), 'unauthorized_client')
      }
      const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'private_key_jwt', jwks }
      const signed = await bench.postJson('/api/oauth/register', metadata)
      expectError(signed, 'invalid_client_metadata')
    })

    it('MA-03: a client gets by client credentials only the scopes that the operator registered, and only for resources of this server', async () => {
      const { clientId: client_id, clientSecret: client_secret = '' } = await addJob(bench)
      const ask = (changed: object) =>
        bench.post('/api/oauth/token', {
          grant_type: 'client_credentials',
          client_id,
          client_secret,
          ...changed,
        })
      for (const scope of ['courses:read students:read', 'openid', 'email', 'account:write', '*'])
        expectError(await ask({ scope }), 'invalid_scope', scope)
      expectError(await ask({ resource: 'https://evil.example' }), 'invalid_target')
      expectInvalidClient(await ask({ client_secret: 'wrong' }))
      expectInvalidClient(await ask({ client_secret: undefined }))
    })

    it('MA-04: a client-credentials token has no user: it is in no list of apps, and its sub is no user id', async () => {
      const job = await addJob(bench)
      const token = await clientCredentialsToken(bench, job)
      expect((await bench.service.grants.list(job.clientId)).grants).toEqual([])
      const { clientId: client_id, clientSecret: client_secret = '' } = job
      const answer = await bench.post('/api/oauth/introspect', { token, client_id, client_secret })
      expect(answer.json()).toMatchObject({ active: true, client_id })
      expect(answer.json()).not.toHaveProperty('sub')
      await bench.service.clients.remove(client_id)
      expect((await call(bench, token, '/api/courses')).status, 'it is gone').toBe(401)
    })
  },
  { CLIENT_CREDENTIALS: 'on' },
)
