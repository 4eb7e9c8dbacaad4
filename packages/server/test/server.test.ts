import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { authorizationServer } from '@grantkit/adapter-hono'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { directory } from '../src/index.ts'
import { createdServer } from './created-server.ts'
import { DANA } from './people.ts'

async function opened(...options: Parameters<typeof createdServer>) {
  const server = await createdServer(...options)
  onTestFinished(() => server.close())
  return { ...server, baseUrl: server.config.baseUrl }
}

describe('createServer', () => {
  it('listens, with its pages and its metadata', async () => {
    const server = await opened({ brand: { name: 'Notes' } })
    const listening = await server.listen()
    onTestFinished(() => listening.close())
    expect(await (await fetch(`${server.baseUrl}/login`)).text()).toContain('Notes')
    const metadata = await fetch(`${server.baseUrl}/.well-known/oauth-authorization-server`)
    expect(await metadata.json()).toMatchObject({ issuer: server.baseUrl })
  })

  it('is mounted in an application, in front of its own routes', async () => {
    const server = await opened()
    const app = new Hono()
      .get('/notes', (c) => c.text('a note'))
      .route('/', authorizationServer(server))
      .notFound((c) => server.app.fetch(c.req.raw, c.env))
    const http = createHttpServer(getRequestListener(app.fetch)).listen(server.config.port, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    const answers = ['/notes', '/login', '/.well-known/openid-configuration', '/nothing']
    const statuses = answers.map(async (path) => (await fetch(server.baseUrl + path)).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 404])
  })

  it('does not start where others reach a demo account, and sends its password to no directory', async () => {
    const database = `sqlite:${await temporaryFolder()}/service.sqlite`
    const definition = { demoAccounts: [{ account: DANA, publicPassword: 'demo' }] }
    const onLoopback = await createdServer({ database }, { definition })
    expect(onLoopback.demo).toBe(true)
    await onLoopback.close()
    const exposed = { database, host: '0.0.0.0' }
    await expect(createdServer(exposed, { definition })).rejects.toThrow('is publicly known')
    const verifyPassword = vi.fn(async () => undefined)
    const users = directory({ find: async () => undefined, verifyPassword })
    await opened({ ...exposed, users }, { definition })
    expect(verifyPassword).not.toHaveBeenCalled()
  })

  it('gives its operator the users, the grants and the observers of the server', async () => {
    const onEvent = vi.fn()
    const { operator, accounts } = await opened({}, { observers: { onEvent, onError: () => {} } })
    await accounts.add(DANA)
    expect(await operator.users.disable(DANA.id), 'no grant ends').toBe(0)
    expect(await accounts.find(DANA.id)).toBeUndefined()
    expect(await operator.attempts.latest({ subject: DANA.id }, 1)).toEqual([])
    const events = onEvent.mock.calls.map(([{ type, subject }]) => [type, subject])
    expect(events).toContainEqual(['account_disabled', DANA.id])
    expect(events).toContainEqual(['attempt_read', DANA.id])
  })

  it('takes the variables of the environment before the configuration', async () => {
    const { config } = await opened({ brand: { name: 'Notes' } }, { environment: { LOG_LEVEL: 'silent' } })
    expect([config.logLevel, config.brand.name]).toEqual(['silent', 'Notes'])
  })

  it('says in its metadata that it tells when refresh tokens end, only if that is configured', async () => {
    for (const refreshTokenExpiration of [true, false]) {
      const server = await opened({ features: { refreshTokenExpiration } })
      const document = server.routes.find(({ path }) => path === '/.well-known/oauth-authorization-server')
      const request = { method: 'GET', path: String(document?.path), query: '', headers: {}, body: '' }
      const metadata = JSON.parse(String((await document?.handle(request))?.body))
      expect('refresh_token_expiration_types_supported' in metadata).toBe(refreshTokenExpiration)
    }
  })

  it('lets apps register for the device grant only with the setting all', async () => {
    const device = 'urn:ietf:params:oauth:grant-type:device_code'
    const metadata = {
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', device],
    }
    for (const mode of ['integrations', 'all'] as const) {
      const { routes } = await opened({ features: { device: mode } })
      const register = routes.find(({ path }) => path === '/api/oauth/register')
      const request = {
        method: 'POST',
        path: '/api/oauth/register',
        query: '',
        body: JSON.stringify(metadata),
      }
      const answer = await register?.handle({ ...request, headers: { 'content-type': 'application/json' } })
      const { grant_types } = JSON.parse(String(answer?.body))
      expect(grant_types.includes(device), mode).toBe(mode === 'all')
    }
  })
})
