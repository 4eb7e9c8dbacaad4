import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Server } from '../src/index.ts'
import { type Listening, listenForIssuers } from '../src/listen.ts'
import { createdServer } from './created-server.ts'
import { DANA } from './people.ts'
import { signedIn } from './signed-in-browser.ts'

/** Two issuers at one port, with the same user, the same password and even the same secret. */

const SCOPES = {
  openid: {},
  'notes:read': { description: 'Read your notes', baseline: true, access: 'read' },
} as const
const FEATURES = { admin: { api: true }, features: { clientCredentials: true } }

let acme: Server
let globex: Server
let listening: Listening
beforeAll(async () => {
  acme = await issuerAt('127.0.0.1')
  globex = await issuerAt('localhost', acme.config.port)
  listening = await listenForIssuers([acme, globex], { host: '127.0.0.1', port: acme.config.port })
})
afterAll(async () => {
  await listening.close()
  await acme.close()
  await globex.close()
})

async function issuerAt(host: string, port?: number): Promise<Server> {
  const named = port && { port, baseUrl: `http://${host}:${port}` }
  const environment = { LOG_LEVEL: 'silent', SECRET: 'one secret of both, at least 32 characters' }
  const server = await createdServer(
    { brand: { name: host }, scopes: SCOPES, ...FEATURES, ...named },
    { environment },
  )
  await server.accounts.add(DANA)
  await server.accounts.setAdmin(DANA.id, true)
  return server
}

const statusOf = async (...request: Parameters<typeof fetch>) => (await fetch(...request)).status
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const posted = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) })

const cookieOf = ({ config }: Server) => sessionCookie(config.baseUrl)
const tokensOf = ({ config }: Server) => signedIn(config.baseUrl, 'openid notes:read')

async function adminTokenOf({ clients, config: { baseUrl } }: Server): Promise<string> {
  const { clientId, clientSecret = '' } = await clients.add({
    ...{ clientName: 'User sync', redirectUris: [], grantTypes: ['client_credentials'] },
    clientCredentialsScopes: ['admin:read'],
  })
  const sent = posted({
    ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    resource: `${baseUrl}/admin/api`,
  })
  return (await (await fetch(`${baseUrl}/api/oauth/token`, sent)).json()).access_token
}

/** What an API of an issuer learns of a token. */
async function introspected({ clients, config: { baseUrl } }: Server, token: string): Promise<boolean> {
  const api = { clientName: 'An API', redirectUris: [], resourceServer: true }
  const { clientId, clientSecret = '' } = await clients.add(api)
  const sent = posted({ token, client_id: clientId, client_secret: clientSecret })
  return (await (await fetch(`${baseUrl}/api/oauth/introspect`, sent)).json()).active
}

/** A credential of one issuer, sent to another: what comes back at its own issuer, and at the other one. */
const CREDENTIALS: readonly [string, (from: Server) => Promise<(at: Server) => unknown>, unknown, unknown][] =
  [
    [
      'the session of a browser',
      async (from) => {
        const headers = { cookie: await cookieOf(from) }
        return ({ config }) => statusOf(`${config.baseUrl}/account`, { headers, redirect: 'manual' })
      },
      200,
      303,
    ],
    [
      'the session of an admin',
      async (from) => {
        const headers = { cookie: await cookieOf(from) }
        return ({ config }) => statusOf(`${config.baseUrl}/admin/users`, { headers, redirect: 'manual' })
      },
      200,
      303,
    ],
    [
      'an access token at UserInfo',
      async (from) => {
        const { access_token } = await tokensOf(from)
        return ({ config }) => statusOf(`${config.baseUrl}/api/oauth/userinfo`, bearer(access_token))
      },
      200,
      401,
    ],
    [
      'an access token at introspection',
      async (from) => {
        const { access_token } = await tokensOf(from)
        return (at) => introspected(at, access_token)
      },
      true,
      false,
    ],
    [
      'a refresh token with its client',
      async (from) => {
        const { client_id, refresh_token } = await tokensOf(from)
        const sent = posted({ grant_type: 'refresh_token', client_id, refresh_token })
        return ({ config }) => statusOf(`${config.baseUrl}/api/oauth/token`, sent)
      },
      200,
      401,
    ],
    [
      'a token of the admin API',
      async (from) => {
        const token = await adminTokenOf(from)
        return ({ config }) => statusOf(`${config.baseUrl}/admin/api/users`, bearer(token))
      },
      200,
      401,
    ],
  ]

describe('two issuers at one port', () => {
  it('have pages and metadata of their own', async () => {
    for (const { config } of [acme, globex]) {
      const page = await fetch(`${config.baseUrl}/login`)
      expect(await page.text()).toContain(config.brand.name)
      const metadata = await fetch(`${config.baseUrl}/.well-known/oauth-authorization-server`)
      expect(await metadata.json()).toMatchObject({ issuer: config.baseUrl })
    }
  })

  it('answer for no other host', async () => {
    const { port } = acme.config
    expect([await statusAt('globex.example', port), await statusAt(`LOCALHOST:${port}`, port)]).toEqual([
      404, 200,
    ])
  })

  it.each(CREDENTIALS)('do not know %s of each other', async (_, credentialOf, own, foreign) => {
    for (const [from, at] of [[acme, globex] as const, [globex, acme] as const]) {
      const sent = await credentialOf(from)
      expect([await sent(at), await sent(from)]).toEqual([foreign, own])
    }
  })

  it('need hosts and databases of their own', async () => {
    const address = { host: '127.0.0.1', port: 0 }
    const { host } = new URL(acme.config.baseUrl)
    await expect(listenForIssuers([acme, acme], address)).rejects.toThrow(`Two issuers have the host ${host}`)
    const database = 'sqlite:/srv/service.sqlite'
    const kept = (server: Server) => ({ ...server, config: { ...server.config, database } })
    await expect(listenForIssuers([kept(acme), kept(globex)], address)).rejects.toThrow(
      'has the database of another one',
    )
  })
})

/** The status of the metadata, for a `Host` that `fetch` would not send. */
async function statusAt(host: string, port: number): Promise<number | undefined> {
  const path = '/.well-known/oauth-authorization-server'
  const sent = request({ host: '127.0.0.1', port, path, headers: { host } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}
