import { documentOf, openDocumentHost } from '@grantkit/test-servers/document-host'
import {
  auth,
  Client,
  createPrivateKeyJwtAuth,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { McpApp } from './mcp-app.ts'
import { runService } from './service.ts'

/** The official MCP client, known by the document of its app, which a host publishes over https. */

const ID = 'https://notes.dev/oauth/client.json'

const host = await openDocumentHost(documentOf)
afterAll(() => host.close())

const service = await runService({ ...host.settings(['notes.dev']), DEFAULT_SCOPE: 'courses:read' })
afterAll(() => service.close())

it('uses the URL of the document as its client_id for sign-in, consent, tokens, a tool call and refresh', async () => {
  const app = new McpApp(service.baseUrl, ID)
  const serverUrl = `${service.baseUrl}/mcp`
  expect(await auth(app, { serverUrl })).toBe('REDIRECT')
  expect(await auth(app, { serverUrl, ...app.answer })).toBe('AUTHORIZED')

  const client = new Client({ name: 'Notes', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: app }))
  const { structuredContent } = await client.callTool({ name: 'search_courses', arguments: {} })
  expect(structuredContent, 'what only a token sees').toMatchObject({ total: 6 })
  await client.close()

  const first = app.tokens()?.access_token
  expect(await auth(app, { serverUrl })).toBe('AUTHORIZED')
  expect(app.tokens()?.access_token, 'a refresh').not.toBe(first)
  expect(host.requests, 'fetched once').toEqual([ID])
  expect(await stored(), 'nothing registered').toEqual([[ID, 'document']])
})

describe('with keys of its own', () => {
  const KEYS = 'https://notes.dev/oauth/jwks.json'
  /** As ChatGPT publishes it: it prefers to prove who it is, and can do without. */
  const METHODS = {
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg: 'RS256',
    jwks_uri: KEYS,
  }

  async function publishKeys(more: { readonly audience?: string } = {}) {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] }
    host.answer = (id) => (id === KEYS ? { body: JSON.stringify(jwks) } : documentOf(id, METHODS))
    const client = { issuer: ID, subject: ID, alg: 'RS256', ...more }
    return createPrivateKeyJwtAuth({ ...client, privateKey: await exportJWK(privateKey) })
  }

  it('proves who it is to the token endpoint where the operator accepts its address', async () => {
    const opened = await runService({
      ...host.settings(['notes.dev']),
      ...{ DEFAULT_SCOPE: 'courses:read', CLIENT_AUTHENTICATION: 'none,private_key_jwt' },
      CLIENT_ASSERTION_AUDIENCES: 'endpoints',
    })
    onTestFinished(() => opened.close())
    const app = new McpApp(opened.baseUrl, ID)
    const proof = await publishKeys({ audience: `${opened.baseUrl}/api/oauth/token` })
    Object.assign(app, { addClientAuthentication: proof })
    const serverUrl = `${opened.baseUrl}/mcp`
    expect(await auth(app, { serverUrl })).toBe('REDIRECT')
    expect(await auth(app, { serverUrl, ...app.answer })).toBe('AUTHORIZED')
  })

  it.each([
    ['proves who it is where assertions are taken', 'none,client_secret_post,private_key_jwt', [ID, KEYS]],
    ['signs in without a proof where none are', 'none,client_secret_post', [ID]],
  ])('%s', async (_, CLIENT_AUTHENTICATION, requests) => {
    const proof = await publishKeys()
    const opened = await runService({
      ...host.settings(['notes.dev']),
      ...{ DEFAULT_SCOPE: 'courses:read', CLIENT_AUTHENTICATION },
    })
    onTestFinished(() => opened.close())
    host.requests.length = 0
    const app = new McpApp(opened.baseUrl, ID)
    if (requests.includes(KEYS)) Object.assign(app, { addClientAuthentication: proof })
    const serverUrl = `${opened.baseUrl}/mcp`
    expect(await auth(app, { serverUrl })).toBe('REDIRECT')
    expect(await auth(app, { serverUrl, ...app.answer })).toBe('AUTHORIZED')
    expect(await auth(app, { serverUrl }), 'a refresh').toBe('AUTHORIZED')
    expect(host.requests).toEqual(requests)
    const refresh_token = app.tokens()?.refresh_token ?? ''
    const form = { grant_type: 'refresh_token', client_id: ID, refresh_token }
    const body = new URLSearchParams(form)
    const unproven = await fetch(`${opened.baseUrl}/api/oauth/token`, { method: 'POST', body })
    expect(unproven.status, 'whoever stole the token').toBe(requests.includes(KEYS) ? 401 : 200)
  })
})

async function stored() {
  const clients = []
  for await (const { clientId, origin } of service.store.clients.scan()) clients.push([clientId, origin])
  return clients
}
