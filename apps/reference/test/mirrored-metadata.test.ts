import {
  createAuthorizationServer,
  createResourceServer,
  mirroredMetadata,
  type ResourceServer,
} from '@grantkit/core'
import { toFetchHandler } from '@grantkit/core/adapter'
import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'
import { formBrowser, inProcess } from '@grantkit/testkit/client'
import { auth as strictAuth } from '@modelcontextprotocol/client'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { describe, expect, it } from 'vitest'
import { McpApp } from './mcp-app.ts'

/** A client of MCP 2025-03-26, with an MCP server at another host than its authorization server. */

const issuer = 'https://auth.example'
const resource = 'https://mcp.example/mcp'
const scopes = { 'notes:read': { description: 'Read your notes' } }

interface Published {
  /** The metadata of the issuer. */
  readonly mirrored: boolean
  /** The metadata of the resource (RFC 9728). */
  readonly described?: boolean
}

/** Both hosts, without a network. */
function openHosts({ mirrored, described = false }: Published) {
  const store = createMemoryStore()
  const server = createAuthorizationServer({
    ...{ issuer, store, scopes, resources: [resource], defaultScope: 'notes:read' },
    secret: 'a secret of the tests, long enough to pass',
    interaction: {
      session: async () => ({ id: 'session', subject: 'alice', authTime: 0 }),
      signIn: () => ({ status: 303, headers: { location: '/login' }, body: '' }),
      ...pages({ brand: { name: 'Notes' } }).interaction,
    },
  })
  const api = createResourceServer({ resource, store, scopes })
  const { routes } = mirrored ? mirroredMetadata(resource, server.metadata) : { routes: [] }
  const description = server.routes.filter(
    ({ path }) => described && path.includes('oauth-protected-resource'),
  )
  const hosts = new Map([
    [issuer, toFetchHandler(server)],
    [new URL(resource).origin, toFetchHandler({ routes: [...routes, ...description] })],
  ])
  const fetchFn = async (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init)
    const answer = await hosts.get(new URL(request.url).origin)?.(request)
    return answer ?? new Response(null, { status: 404 })
  }
  const browser = formBrowser({ origin: issuer, typed: { email: '' }, send: inProcess(server) })
  return { api, to: { serverUrl: resource, fetchFn }, app: new McpApp(issuer, undefined, browser) }
}

const call = (api: ResourceServer<'notes:read'>, token = '') => {
  const headers = { authorization: `Bearer ${token}` }
  return api.access({ method: 'POST', path: '/mcp', query: '', headers, body: '' }, 'notes:read')
}

describe('a client that looks for the authorization server at the MCP server', () => {
  it('signs its user in, refreshes, and calls, where the metadata of the issuer are there', async () => {
    const { api, to, app } = openHosts({ mirrored: true })
    expect(await auth(app, to)).toBe('REDIRECT')
    expect(await auth(app, { ...to, ...app.answer })).toBe('AUTHORIZED')
    expect(await auth(app, to)).toBe('AUTHORIZED')
    const access = await call(api, app.tokens()?.access_token)
    // It requests no resource, so its token is valid at every one of this server.
    expect(access).toMatchObject({ kind: 'authorized', token: { subject: 'alice', resources: [] } })
  })

  it('does not find it without the option', async () => {
    const { to, app } = openHosts({ mirrored: false })
    await expect(auth(app, to)).rejects.toThrow('HTTP 404')
  })

  it('refuses it if it compares the issuer, as version 2 of the SDK does', async () => {
    const { to, app } = openHosts({ mirrored: true })
    await expect(strictAuth(app, to)).rejects.toThrow('RFC 8414')
  })
})

it('a strict client signs its user in all the same where the MCP server names its authorization server', async () => {
  const { api, to, app } = openHosts({ mirrored: true, described: true })
  expect(await strictAuth(app, to)).toBe('REDIRECT')
  expect(await strictAuth(app, { ...to, ...app.answer })).toBe('AUTHORIZED')
  const access = await call(api, app.tokens()?.access_token)
  expect(access).toMatchObject({ kind: 'authorized', token: { resources: [resource] } })
})
