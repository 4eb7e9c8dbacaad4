import { spawn } from 'node:child_process'
import { text as readText } from 'node:stream/consumers'
import {
  auth,
  Client,
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, expect, it } from 'vitest'
import { runService } from './service.ts'

/** Client credentials: the SDK of MCP gets tokens for itself, and calls MCP and the API with them. */

const SCOPE = 'courses:read courses:write'

const service = await runService({ CLIENT_CREDENTIALS: 'on' })
const keys = await generateKeyPair('ES256', { extractable: true })
afterAll(() => service.close())

type Method = 'client_secret_basic' | 'private_key_jwt'

async function addClient(
  token_endpoint_auth_method: Method = 'client_secret_basic',
  client_credentials_scopes = SCOPE,
) {
  const jwks =
    token_endpoint_auth_method === 'private_key_jwt' ? { keys: [await exportJWK(keys.publicKey)] } : undefined
  const { clientId: client_id, clientSecret: client_secret = '' } = await service.clients.add({
    clientName: 'Nightly job',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: client_credentials_scopes.split(' '),
    tokenEndpointAuthMethod: token_endpoint_auth_method,
    jwks,
  })
  return { client_id, client_secret }
}

/** It requests all scopes that the resource metadata lists (RFC 9728 2), so its client needs all of them. */
async function addMcpJob(method: Method) {
  const address = `${service.baseUrl}/.well-known/oauth-protected-resource/mcp`
  const { scopes_supported } = await (await fetch(address)).json()
  return addClient(method, scopes_supported.join(' '))
}

it.each<[string, () => Promise<ClientCredentialsProvider | PrivateKeyJwtProvider>]>([
  [
    'ClientCredentialsProvider',
    async () => {
      const { client_id, client_secret } = await addMcpJob('client_secret_basic')
      const client = { clientId: client_id, clientSecret: client_secret }
      return new ClientCredentialsProvider({ ...client, expectedIssuer: service.baseUrl })
    },
  ],
  [
    'PrivateKeyJwtProvider',
    async () => {
      const { client_id } = await addMcpJob('private_key_jwt')
      const privateKey = { ...(await exportJWK(keys.privateKey)) }
      const client = { clientId: client_id, privateKey, algorithm: 'ES256' }
      return new PrivateKeyJwtProvider({ ...client, expectedIssuer: service.baseUrl })
    },
  ],
])('the SDK of MCP gets a token by its %s, and calls tools with it', async (_, providerOf) => {
  const provider = await providerOf()
  const url = new URL(`${service.baseUrl}/mcp`)
  expect(await auth(provider, { serverUrl: url })).toBe('AUTHORIZED')
  const client = new Client({ name: 'job', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }))
  const answer = await client.callTool({ name: 'search_courses', arguments: { limit: 50 } })
  expect(JSON.stringify(answer), 'more than anonymous callers see').toContain('Ceramics')
  await client.close()
})

it('a token is accepted by the routes of the catalogue, and rejected by the areas of users, even with a scope', async () => {
  const { client_id, client_secret } = await addClient()
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const answer = await fetch(`${service.baseUrl}/api/oauth/token`, { method: 'POST', body })
  const { access_token } = await answer.json()
  const headers = { authorization: `Bearer ${access_token}` }
  const statusOf = async (path: string) => (await fetch(service.baseUrl + path, { headers })).status
  expect(await statusOf('/api/courses')).toBe(200)
  for (const path of ['/api/students', '/api/account', '/api/orders', '/api/oauth/userinfo'])
    expect(await statusOf(path), path).toBe(403)
})

it.each(['students:read', 'account:write'])(
  'no client is added with %s, which is of users',
  async (scope) => {
    await expect(addClient('client_secret_basic', scope)).rejects.toThrow(
      `${scope} is no scope for client credentials`,
    )
  },
)

it('the commands of auth.md get a token by client credentials, and call the API with it', async () => {
  const text = await (await fetch(`${service.baseUrl}/auth.md`)).text()
  const [, script = ''] = /## Client credentials\n.*?```sh\n(.*?)```/s.exec(text) ?? []
  const { client_id, client_secret } = await addClient()
  const shell = spawn('sh', ['-e', '-c', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = readText(shell.stdout)
  shell.stdin.end(`${client_id}\n${client_secret}\n`)
  expect(await output).toContain('"title":"Ceramics: glazing"')
})
