import { protect } from '@grantkit/adapter-hono'
import { discovered, http } from '@grantkit/test-servers/client-libraries'
import { Hono } from 'hono'
import { exportJWK, generateKeyPair } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, expect, it } from 'vitest'
import type { ServiceDefinition } from '../src/definition.ts'
import { runServer } from './running-server.ts'

/** Client credentials: client libraries get tokens for themselves, and call an API with them. */

const SCOPE = 'notes:write'
const scopes = { [SCOPE]: { description: 'Change your notes' } }

const definition: ServiceDefinition = {
  mount({ config, guard }) {
    const api = guard(config.baseUrl).allowing({ clientCredentials: true })
    return [new Hono().post('/api/notes', protect(api, SCOPE), (c) => c.json({}, 201))]
  },
}

const server = await runServer({ CLIENT_CREDENTIALS: 'on' }, { scopes }, { definition })
const keys = await generateKeyPair('ES256', { extractable: true })
afterAll(() => server.close())

type Method = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

async function addClient(tokenEndpointAuthMethod: Method) {
  const hasKeys = tokenEndpointAuthMethod === 'private_key_jwt'
  const { clientId: client_id, clientSecret: client_secret = '' } = await server.clients.add({
    clientName: 'Nightly job',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: [SCOPE],
    tokenEndpointAuthMethod,
    jwks: hasKeys ? { keys: [await exportJWK(keys.publicKey)] } : undefined,
  })
  return { client_id, client_secret }
}

async function writes(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${server.baseUrl}/api/notes`, { method: 'POST', headers })).status
}

it.each<[Method, (secret: string) => oidc.ClientAuth]>([
  ['client_secret_basic', oidc.ClientSecretBasic],
  ['client_secret_post', oidc.ClientSecretPost],
  ['private_key_jwt', () => oidc.PrivateKeyJwt(keys.privateKey)],
])('openid-client gets a token for itself by %s, and writes with it', async (method, auth) => {
  const { client_id, client_secret } = await addClient(method)
  const execute = [oidc.allowInsecureRequests]
  const issuer = new URL(server.baseUrl)
  const config = await oidc.discovery(issuer, client_id, undefined, auth(client_secret), { execute })
  const tokens = await oidc.clientCredentialsGrant(config, { scope: SCOPE, resource: server.baseUrl })
  expect(tokens).toMatchObject({ scope: SCOPE, expires_in: 3600 })
  expect(tokens).not.toHaveProperty('refresh_token')
  expect(tokens).not.toHaveProperty('id_token')
  expect(await writes(tokens.access_token)).toBe(201)
  const live = await oidc.tokenIntrospection(config, tokens.access_token)
  expect(live).toMatchObject({ active: true, client_id, aud: server.baseUrl })
  expect(live).not.toHaveProperty('sub')
  await oidc.tokenRevocation(config, tokens.access_token)
  expect(await writes(tokens.access_token)).toBe(401)
})

it('oauth4webapi validates the response strictly', async () => {
  const { client_id, client_secret } = await addClient('client_secret_basic')
  const as = await discovered(server.baseUrl)
  const auth = oauth.ClientSecretBasic(client_secret)
  const request = await oauth.clientCredentialsGrantRequest(as, { client_id }, auth, {}, http)
  const tokens = await oauth.processClientCredentialsResponse(as, { client_id }, request)
  expect(tokens).toMatchObject({ scope: SCOPE, token_type: 'bearer' })
})
