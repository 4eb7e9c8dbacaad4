import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import pauses from 'node:timers/promises'
import type { AddedClient, HttpResponse } from '@grantkit/core'
import {
  type Approval,
  formEncoded,
  inProcess,
  type TestClient,
  type Tokens,
  testClient,
} from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/**
 * A look at a file, or a pause, in each request is what makes a service several times slower without any test that fails.
 * With all records in memory a request has no reason for either. Each is sent once before, because the first may read
 * what later ones keep.
 */

const SCOPE = 'openid profile courses:read'
const request = new AsyncLocalStorage<string[]>()
let restore: () => void
let service: RunningService
let tokens: Tokens
let client: TestClient
let approvals: Approval[]
let reports: AddedClient

beforeAll(async () => {
  service = await runService({ DATABASE_URL: 'memory:', STORE_URL: 'memory:' })
  client = await testClient(service.baseUrl, { browser: user(service.baseUrl) })
  tokens = await client.tokens(SCOPE)
  approvals = [await client.approve(SCOPE), await client.approve(SCOPE)]
  reports = await service.clients.add({ clientName: 'Reports', redirectUris: [], resourceServer: true })
  restore = watch()
})
afterAll(async () => {
  restore()
  await service.close()
})

describe('a request touches no file and sets no timer', () => {
  it.each<[string, number, () => Promise<HttpResponse | Response>]>([
    ['metadata', 200, () => get('/.well-known/oauth-authorization-server')],
    ['the key set', 200, () => get('/api/oauth/jwks')],
    ['an authorization request', 400, () => get('/oauth/authorize')],
    ['a code', 200, () => post('token', client.redemption(approvals.pop() as Approval))],
    ['a refresh', 200, refresh],
    [
      'a refused refresh',
      400,
      () => post('token', { ...client.credentials, grant_type: 'refresh_token', refresh_token: 'none' }),
    ],
    [
      'introspection',
      200,
      () => post('introspect', { ...credentialsOf(reports), token: tokens.access_token }),
    ],
    ['UserInfo', 200, () => get('/api/oauth/userinfo', bearer())],
    ['the API', 200, () => application('/api/courses')],
    ['an MCP call', 200, () => application('/mcp', TOOL_CALL)],
    ['a page', 200, () => application('/login')],
    ['auth.md', 200, () => application('/auth.md')],
    ['the description', 200, () => application('/openapi.json')],
  ])('%s', async (_, status, send) => {
    await send()
    const noticed: string[] = []
    const answer = await request.run(noticed, send)
    expect(noticed).toEqual([])
    expect(answer.status).toBe(status)
  })

  it('and the test notices if one does', async () => {
    const noticed: string[] = []
    await request.run(noticed, async () => {
      await fs.promises.stat('.')
      await pauses.setTimeout(0)
    })
    expect(noticed).toEqual(['stat', 'setTimeout'])
  })
})

const TOOL_CALL = {
  method: 'POST',
  headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_courses', arguments: {} },
  }),
}

function bearer() {
  return { authorization: `Bearer ${tokens.access_token}` }
}

function get(path: string, headers = {}): Promise<HttpResponse> {
  return inProcess(service)(service.baseUrl + path, { method: 'GET', headers, body: '' })
}

function post(endpoint: string, fields: Record<string, string | undefined>): Promise<HttpResponse> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = formEncoded(fields)
  return inProcess(service)(`${service.baseUrl}/api/oauth/${endpoint}`, { method: 'POST', headers, body })
}

function credentialsOf({ clientId: client_id, clientSecret: client_secret }: AddedClient) {
  return { client_id, client_secret }
}

async function refresh(): Promise<HttpResponse> {
  const { refresh_token } = tokens
  const answer = await post('token', { ...client.credentials, grant_type: 'refresh_token', refresh_token })
  tokens = JSON.parse(answer.body)
  return answer
}

async function application(path: string, init: RequestInit = {}): Promise<Response> {
  const { host } = new URL(service.baseUrl)
  const headers = { host, ...bearer(), ...(init.headers as Record<string, string>) }
  const socket = { incoming: { socket: { remoteAddress: '127.0.0.1' } } }
  return service.app.request(service.baseUrl + path, { ...init, headers }, socket)
}

/** Records the names of these functions when a request calls them. @returns a function that restores them */
function watch(): () => void {
  const undo = [fs, fs.promises, timers, pauses, globalThis].flatMap((module) => wrap(module))
  syncBuiltinESMExports()
  return () => {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}

type Functions = Record<string, (...args: unknown[]) => unknown>

function wrap(module: object): (() => void)[] {
  const functions = module as Functions
  const names = Object.keys(module === globalThis ? timers : module).filter(
    (name) =>
      /^[a-z]/.test(name) && !/^(clear|setImmediate)/.test(name) && typeof functions[name] === 'function',
  )
  return names.map((name) => {
    const original = functions[name] as Functions[string]
    functions[name] = function (this: unknown, ...args) {
      request.getStore()?.push(name)
      return original.apply(this, args)
    }
    return () => {
      functions[name] = original
    }
  })
}
