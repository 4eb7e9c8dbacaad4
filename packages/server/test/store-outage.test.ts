import type { Store } from '@grantkit/core'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type RunningServer, runServer, WITH_API } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** The pages and the probes of a server whose store fails. What the protocol answers then is tested in core. */

/** Whether an operation of the store, such as `grants.list`, fails now. */
let fails = (_operation: string) => false
let server: RunningServer
beforeAll(async () => {
  server = await runServer({}, {}, { ...WITH_API, wrapped: failing })
})
afterEach(() => {
  fails = () => false
})
afterAll(() => server.close())

function failing(store: Store): Store {
  const guarded = <R extends object>(name: string, records: R): R =>
    new Proxy(records, {
      get: (target, verb) => {
        const method = Reflect.get(target, verb) as (...input: unknown[]) => Promise<unknown>
        if (!fails(`${name}.${String(verb)}`)) return method.bind(target)
        return () => Promise.reject(new Error('connection lost'))
      },
    })
  return { ...store, clients: guarded('clients', store.clients), grants: guarded('grants', store.grants) }
}

const statusOf = async (path: string) => (await fetch(server.baseUrl + path)).status

it.each(['grants.list', 'clients.find'])(
  'ST-08: the account page is a 503 with Retry-After, and disconnects after the outage: %s',
  async (operation) => {
    const { client_id, access_token } = await signedIn(server.baseUrl, 'notes:read')
    const headers = { cookie: await sessionCookie(server.baseUrl) }
    const open = () => fetch(`${server.baseUrl}/account`, { headers })
    const ticket = /name="ticket" value="([^"]+)"/.exec(await (await open()).text())?.[1] ?? ''
    const body = new URLSearchParams({ ticket, installation: client_id })
    const disconnect = () =>
      fetch(`${server.baseUrl}/account`, { method: 'POST', headers, body, redirect: 'manual' })
    const call = async () => {
      const authorization = `Bearer ${access_token}`
      return (await fetch(`${server.baseUrl}/api/notes`, { headers: { authorization } })).status
    }
    fails = (one) => one === operation
    for (const answer of [await disconnect(), await open()]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await answer.text()).toContain('try again in a moment')
    }
    fails = () => false
    expect(await call()).toBe(200)
    expect((await disconnect()).status).toBe(303)
    expect(await call()).toBe(401)
  },
)

it('REQ-78: readiness fails and recovers with the store, and the process continues', async () => {
  expect(await statusOf('/readyz')).toBe(200)
  fails = () => true
  expect(await statusOf('/readyz')).toBe(503)
  for (const path of ['/healthz', '/login']) expect(await statusOf(path), path).toBe(200)
  fails = () => false
  expect(await statusOf('/readyz')).toBe(200)
})
