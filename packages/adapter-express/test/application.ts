import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import {
  createAuthorizationServer,
  createResourceServer,
  type Interaction,
  type ServerEvent,
} from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { createMemoryStore } from '@grantkit/store-memory'
import { aClient } from '@grantkit/testkit'
import type { ErrorRequestHandler, Express } from 'express'
import { onTestFinished } from 'vitest'

export const ISSUER = 'https://notes.example'
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const JSON_TYPE = { 'content-type': 'application/json' }
export const UNKNOWN_TOKEN = 'grant_type=refresh_token&client_id=client&refresh_token=x'

const SCOPES = { 'notes:read': { description: 'Read notes' } }
const page = (body: string) => ({ status: 200, headers: { 'content-type': 'text/html' }, body })

/** A real server with one client, and the guard of its API. */
export async function openNotes({ issuer = ISSUER, errorPage = page('Sorry') } = {}) {
  const store = createMemoryStore()
  await store.clients.insert('client', aClient({ clientId: 'client' }), 9_999_999_999)
  const events: ServerEvent[] = []
  const server = createAuthorizationServer({
    issuer,
    store,
    scopes: SCOPES,
    secret: 'a secret of the tests, long enough to pass',
    interaction: { errorPage: () => errorPage } as Partial<Interaction> as Interaction,
  })
  const onEvent = (event: ServerEvent) => void events.push(event)
  const guarded = { resource: issuer, store, scopes: SCOPES, onEvent }
  const open = createResourceServer({ ...guarded, anonymous: 'allow' })
  return { server, api: createResourceServer(guarded), open, events }
}

/** Listens until the test ends. */
export async function listen(app: Express): Promise<string> {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A route that records the bodies it gets. */
export function recording(path = '/echo'): Route & { readonly bodies: string[] } {
  const bodies: string[] = []
  return {
    path,
    methods: ['POST'],
    bodies,
    async handle({ body }) {
      bodies.push(body)
      return { status: 200, headers: {}, body: '' }
    },
  }
}

/** An error handler of the application that records its errors. */
export function reporting(): { readonly reported: string[]; readonly handler: ErrorRequestHandler } {
  const reported: string[] = []
  const handler: ErrorRequestHandler = (error, _req, res, _next) => {
    reported.push(error.message)
    res.status(500).send('the application')
  }
  return { reported, handler }
}

export function post(url: string, headers: Record<string, string>, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers, body })
}
