import { type AuthorizationServer, OAuthError, type PublicClient } from '@grantkit/core'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { OperatorActions } from '../operator/operator-actions.ts'
import { CLIENT_ENTRIES } from '../operator/recent-clients.ts'
import { type AdminEnv, actorOf } from './access.ts'
import { CLIENT_ERRORS, etagOf } from './client-changes.ts'
import {
  AddedClient,
  Client,
  ClientPage,
  ClientPath,
  ClientQuery,
  clientOf,
  IdempotencyKey,
  metadataOf,
  NewClient,
} from './client-messages.ts'
import type { OnceOnly } from './idempotency-key.ts'
import { page } from './lists.ts'
import { body, CONFLICT, json, NO_CONTENT, NOT_FOUND, type Operations } from './operation.ts'

export interface ClientsOptions {
  readonly clients: AuthorizationServer['clients']
  readonly trail: TrailReader
  readonly actions: OperatorActions
  readonly onceOnly: OnceOnly
}

const tags = ['Clients']

/** Lists, shows, adds and removes clients. */
export function clientsOfServer(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  { clients, trail, actions, onceOnly }: ClientsOptions,
): void {
  const list = operation('admin:read', {
    ...{ method: 'get', path: '/clients', operationId: 'listClients', tags, request: { query: ClientQuery } },
    summary: 'List clients, the latest first',
    description:
      'From the audit trail and as far back as it goes; a page may have fewer clients than its limit. Only the command reads every client of the store.',
    responses: { 200: json('A page of clients', ClientPage) },
  })
  const show = operation('admin:read', {
    ...{ method: 'get', path: '/clients/{client_id}', operationId: 'readClient', tags },
    request: { params: ClientPath },
    summary: 'Read a client',
    responses: { 200: json('The client', Client), ...NOT_FOUND },
  })
  const add = operation('admin:write', {
    ...{ method: 'post', path: '/clients', operationId: 'addClient', tags },
    request: { headers: IdempotencyKey, body: body(NewClient) },
    summary: 'Add a client, which may have fixed https redirect URIs',
    responses: { 201: json('The client, with its secret', AddedClient), ...CONFLICT },
  })
  const remove = operation('admin:write', {
    ...{ method: 'delete', path: '/clients/{client_id}', operationId: 'removeClient', tags },
    request: { params: ClientPath },
    summary: 'Remove a client, and end all its grants',
    responses: {
      ...NO_CONTENT,
      202: { description: 'The client is gone; its grants end one after another' },
    },
  })
  app
    .openapi(list, async (c) => {
      const { recently, limit, cursor } = c.req.valid('query')
      const { entries, next } = await trail.page({ types: CLIENT_ENTRIES[recently] }, limit, cursor)
      const ids = new Set(entries.flatMap(({ clientId = [] }) => clientId))
      const found = await Promise.all([...ids].map((id) => clients.find(id)))
      return c.json(page(found.filter(isClient).map(clientOf), next), 200)
    })
    .openapi(show, async (c) => {
      const client = await clients.find(c.req.valid('param').client_id)
      if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
      c.header('etag', etagOf(client))
      return c.json(clientOf(client), 200)
    })
    .openapi(add, async (c) => {
      const key = c.req.valid('header')['idempotency-key']
      const metadata = metadataOf(c.req.valid('json'))
      const added = await onceOnly(actorOf(c), key, () => clients.add(metadata))
      const { clientSecret: _, ...client } = added
      c.header('etag', etagOf(client))
      return c.json(clientOf(added), 201)
    })
    .openapi(remove, async (c) => {
      const removed = await actions.removeClient(c.req.valid('param').client_id)
      return c.body(null, removed === 'done' ? 204 : 202)
    })
}

function isClient(client: PublicClient | undefined): client is PublicClient {
  return client !== undefined
}
