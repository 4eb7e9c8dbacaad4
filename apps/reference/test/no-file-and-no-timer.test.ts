import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import type { AddedClient } from '@grantkit/core'
import {
  type Approval,
  formEncoded,
  type TestClient,
  type Tokens,
  testClient,
} from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inProcess } from './in-process.ts'
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
  it.each<[string, number, () => Promise<Response>]>([
    ['metadata', 200, () => send('/.well-known/oauth-authorization-server')],
    ['the key set', 200, () => send('/api/oauth/jwks')],
    ['an authorization request', 400, () => send('/oauth/authorize')],
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
    ['UserInfo', 200, () => send('/api/oauth/userinfo', { headers: bearer() })],
    ['the API', 200, () => send('/api/courses', { headers: bearer() })],
    ['an MCP call', 200, () => send('/mcp', toolCall())],
    ['a page', 200, () => send('/login')],
    ['auth.md', 200, () => send('/auth.md')],
    ['the description', 200, () => send('/openapi.json')],
  ])('%s', async (_, status, ask) => {
    await ask()
    const noticed: string[] = []
    const answer = await request.run(noticed, ask)
    expect(noticed).toEqual([])
    expect(answer.status).toBe(status)
  })

  it('and the test notices if one does', async () => {
    const noticed: string[] = []
    await request.run(noticed, async () => {
      await fs.promises.stat('.')
      void timers.promises.setTimeout(0)
    })
    expect(noticed).toEqual(['stat', 'setTimeout'])
  })
})

function toolCall(): RequestInit {
  const params = { name: 'search_courses', arguments: {} }
  return {
    method: 'POST',
    headers: {
      ...bearer(),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }
}

function bearer() {
  return { authorization: `Bearer ${tokens.access_token}` }
}

function send(path: string, init: RequestInit = {}): Promise<Response> {
  const { host } = new URL(service.baseUrl)
  const headers = { host, ...(init.headers as Record<string, string>) }
  return inProcess(service)(new Request(service.baseUrl + path, { ...init, headers }))
}

function post(endpoint: string, fields: Record<string, string | undefined>): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return send(`/api/oauth/${endpoint}`, { method: 'POST', headers, body: formEncoded(fields) })
}

function credentialsOf({ clientId: client_id, clientSecret: client_secret }: AddedClient) {
  return { client_id, client_secret }
}

async function refresh(): Promise<Response> {
  const { refresh_token } = tokens
  const answer = await post('token', { ...client.credentials, grant_type: 'refresh_token', refresh_token })
  tokens = (await answer.clone().json()) as Tokens
  return answer
}

/** Records the names of these functions when a request calls them. @returns a function that restores them */
function watch(): () => void {
  const undo = [fs, fs.promises, timers, timers.promises, globalThis].flatMap((module) => wrap(module))
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
