import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { createAuthorizationServer, createResourceServer, type Interaction } from '@grantkit/core'
import { JWT_BEARER, jwtBearer, type WorkloadRule } from '@grantkit/core/jwt-bearer'
import { createMemoryStore } from '@grantkit/store-memory'
import { formBrowser } from '@grantkit/testkit/client'
import { getRequestListener } from '@hono/node-server'
import { auth, CrossAppAccessProvider, discoverAndRequestJwtAuthGrant } from '@modelcontextprotocol/client'
import { Hono } from 'hono'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as openid from 'openid-client'
import { expect, it, onTestFinished } from 'vitest'
import { IDP_CLIENT, runIdJagProvider } from './id-jag-provider.ts'

/** The SDK of MCP gets a token for a user of an organization whose provider is oidc-provider, without a browser of ours. */

const CALLBACK = 'http://127.0.0.1:7001/callback'
const SCOPES = {
  'notes:read': { description: 'Read your notes', baseline: true },
  'notes:write': { description: 'Change your notes' },
}

/** Over the loopback interface, which `safeFetch` would refuse. */
const fetchHere = async (url: string) => {
  const answer = await fetch(url)
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() }
}

async function openServer(feature: ReturnType<typeof jwtBearer>) {
  const http = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void http.close())
  await once(http, 'listening')
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const resource = `${issuer}/mcp`
  const store = createMemoryStore()
  const server = createAuthorizationServer({
    ...{ issuer, store, scopes: SCOPES, resources: [resource], features: [feature] },
    interaction: {} as Interaction,
    secret: 'a secret of the tests, long enough to pass',
  })
  const api = createResourceServer({ resource, store, scopes: SCOPES })
  const app = new Hono()
  app.route('/', authorizationServer(server))
  app.all(
    '/mcp',
    protect(api.allowing({ clientCredentials: true }), 'notes:read'),
    ({ json, var: { auth } }) => json({ subject: auth.token.subject ?? null, clientId: auth.token.clientId }),
  )
  http.on('request', getRequestListener(app.fetch))
  return { issuer, resource, server, store }
}

async function signedInAt(idp: string): Promise<{ readonly idToken: string }> {
  const insecure = { execute: [openid.allowInsecureRequests] }
  const { client_id, client_secret } = IDP_CLIENT
  const config = await openid.discovery(new URL(idp), client_id, client_secret, undefined, insecure)
  const verifier = openid.randomPKCECodeVerifier()
  const url = openid.buildAuthorizationUrl(config, {
    ...{ redirect_uri: CALLBACK, scope: 'openid', code_challenge_method: 'S256' },
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  })
  const browser = formBrowser({ origin: idp, typed: { login: '' } })
  const tokens = await openid.authorizationCodeGrant(config, await browser(url.href), {
    pkceCodeVerifier: verifier,
  })
  return { idToken: tokens.id_token ?? '' }
}

it('an MCP client gets a token by an ID-JAG of oidc-provider, and the user can end it', async () => {
  const idp = await runIdJagProvider(CALLBACK)
  onTestFinished(idp.close)
  const trust = { issuer: idp.issuer, clients: 'integrations' as const, scopes: ['notes:read'] }
  const subjectOf = async ({ subject }: { subject: string }) =>
    subject === 'U019488227' ? 'alice' : undefined
  const opened = await openServer(jwtBearer({ idJag: { trusts: [trust], subjectOf }, fetch: fetchHere }))
  const { issuer, resource, server } = opened
  const client = await server.clients.add({
    ...{ clientName: 'Assistant', redirectUris: [], grantTypes: [JWT_BEARER] },
    tokenEndpointAuthMethod: 'client_secret_basic',
  })
  Object.assign(idp.policy, { clientId: client.clientId, scope: 'notes:read notes:write' })
  const { idToken } = await signedInAt(idp.issuer)
  const provider = new CrossAppAccessProvider({
    ...{ clientId: client.clientId, clientSecret: client.clientSecret ?? '', expectedIssuer: issuer },
    async assertion({ authorizationServerUrl, resourceUrl, scope, fetchFn }) {
      const { client_id: clientId, client_secret: clientSecret } = IDP_CLIENT
      const requested = {
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken,
        fetchFn,
        ...(scope && { scope }),
      }
      const result = await discoverAndRequestJwtAuthGrant({
        idpUrl: idp.issuer,
        clientId,
        clientSecret,
        ...requested,
      })
      return result.jwtAuthGrant
    },
  })
  expect(await auth(provider, { serverUrl: resource })).toBe('AUTHORIZED')
  const tokens = provider.tokens()
  expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'notes:read', expires_in: 900 })
  const call = async () => fetch(resource, { headers: { authorization: `Bearer ${tokens?.access_token}` } })
  expect(await (await call()).json()).toEqual({ subject: 'alice', clientId: client.clientId })

  const [grant] = (await server.grants.list('alice')).grants
  expect(grant?.authority).toMatchObject({ issuer: idp.issuer, subject: 'U019488227' })
  await server.grants.revoke('alice', grant?.id ?? '')
  expect((await call()).status).toBe(401)
})

it('openid-client gets a token for a workload, without a client id and a secret', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const rule: WorkloadRule = {
    issuer: 'https://ci.example.com',
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'ci-1' }] },
    claims: { project_id: '20' },
    ...{ client: '', scopes: ['notes:read'] },
  }
  const { issuer, resource, server } = await openServer(jwtBearer({ workloads: [rule] }))
  const { clientId } = await server.clients.add({
    ...{ clientName: 'Deployment', redirectUris: [], grantTypes: [JWT_BEARER] },
    tokenEndpointAuthMethod: 'none',
  })
  Object.assign(rule, { client: clientId })
  const assertion = await new SignJWT({ project_id: '20' })
    .setProtectedHeader({ alg: 'ES256', kid: 'ci-1', typ: 'JWT' })
    .setIssuer('https://ci.example.com')
    .setSubject('project_path:g/p')
    .setAudience(issuer)
    .setJti('job-1')
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(privateKey)
  const insecure = { execute: [openid.allowInsecureRequests], algorithm: 'oauth2' as const }
  const config = await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), insecure)
  const tokens = await openid.genericGrantRequest(config, JWT_BEARER, { assertion, resource })
  const answer = await fetch(resource, { headers: { authorization: `Bearer ${tokens.access_token}` } })
  expect(await answer.json()).toEqual({ subject: null, clientId })
})
