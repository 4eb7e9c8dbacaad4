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
  },
  { CLIENT_CREDENTIALS: 'on' },
)
