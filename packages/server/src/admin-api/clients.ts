import { type AuthorizationServer, OAuthError, type PublicClient } from '@grantkit/core'
import { defineErrors } from '@grantkit/core/feature'
import { clientRevision } from '@grantkit/core/internal'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { TrailReader } from '../audit/reading.ts'
import { CLIENT_ENTRIES, type ClientActions } from '../operator/clients.ts'
import {
  AddedClient,
  Client,
  ClientChanges,
  ClientPage,
  ClientPath,
  ClientQuery,
  changesOf,
  clientOf,
  IdempotencyKey,
  IfMatch,
  metadataOf,
  NewClient,
  RotatedSecret,
  Rotation,
} from './client-messages.ts'
import {
  type AdminEnv,
  actorOf,
  body,
  CONFLICT,
  json,
  NO_CONTENT,
  NOT_FOUND,
  type OnceOnly,
  type Operations,
  PRECONDITION,
  page,
} from './operation.ts'

export interface ClientsOptions {
  readonly clients: AuthorizationServer['clients']
  readonly trail: TrailReader
  readonly actions: ClientActions
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

export interface ClientChangesOptions {
  readonly clients: AuthorizationServer['clients']
  readonly onceOnly: OnceOnly
}

const CLIENT_ERRORS = defineErrors({ client_unknown: ['not_found', 'There is no such client', 404] })
const CHANGE_ERRORS = defineErrors({
  precondition_missing: ['precondition_required', 'If-Match is missing: send the ETag of the client', 428],
  client_stale: ['conflict', 'The client has changed since its ETag. Read it again', 412],
})

/** Changes a client, and its secret. */
export function clientChanges(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  { clients, onceOnly }: ClientChangesOptions,
): void {
  const update = operation('admin:write', {
    ...{ method: 'patch', path: '/clients/{client_id}', operationId: 'updateClient', tags },
    request: { params: ClientPath, headers: IfMatch, body: body(ClientChanges) },
    summary: 'Change a client that an operator added',
    description:
      'A member that is null becomes what it is without it. Scopes that the client loses end with the next refresh, and codes for redirect URIs that it loses are not redeemed.',
    responses: { 200: json('The client', Client), ...NOT_FOUND, ...PRECONDITION },
  })
  const rotate = operation('admin:write', {
    ...{ method: 'post', path: '/clients/{client_id}/secret', operationId: 'rotateClientSecret', tags },
    request: { params: ClientPath, headers: IdempotencyKey, body: body(Rotation) },
    summary: 'Give a client a new secret; the older one stays for a while',
    responses: { 201: json('The new secret', RotatedSecret), ...NOT_FOUND, ...CONFLICT },
  })
  const drop = operation('admin:write', {
    ...{
      method: 'delete',
      path: '/clients/{client_id}/secret/old',
      operationId: 'dropOldClientSecret',
      tags,
    },
    request: { params: ClientPath },
    summary: 'End the older secret of a client',
    responses: { ...NO_CONTENT, ...NOT_FOUND, ...CONFLICT },
  })
  app
    .openapi(update, async (c) => {
      const id = c.req.valid('param').client_id
      const seen = await clients.find(id)
      if (seen === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
      requireMatch(c.req.valid('header')['if-match'], seen)
      const changes = changesOf(c.req.valid('json'))
      const client = await clients.update(id, changes, { seen }).catch(staleIfChanged)
      c.header('etag', etagOf(client))
      return c.json(clientOf(client), 200)
    })
    .openapi(rotate, async (c) => {
      const id = c.req.valid('param').client_id
      const { overlap, expires_in: expiresIn, new_secret_lost: newSecretLost } = c.req.valid('json')
      const key = c.req.valid('header')['idempotency-key']
      const rotation = { overlap, expiresIn, newSecretLost }
      const rotated = await onceOnly(actorOf(c), key, () => clients.rotateSecret(id, rotation))
      return c.json(
        {
          client_id: rotated.clientId,
          client_secret: rotated.clientSecret,
          client_secret_expires_at: rotated.clientSecretExpiresAt,
          old_secret_ends_at: rotated.oldSecretEndsAt,
        },
        201,
      )
    })
    .openapi(drop, async (c) => {
      await clients.dropOldSecret(c.req.valid('param').client_id)
      return c.body(null, 204)
    })
}

/** The strong entity tag of a client (RFC 9110 8.8.3). */
function etagOf(client: PublicClient): string {
  return `"${clientRevision(client)}"`
}

/** @throws OAuthError 428 (RFC 6585 3) or 412 (RFC 9110 13.1.1) */
function requireMatch(header: string | undefined, client: PublicClient): void {
  if (header === undefined) throw new OAuthError(CHANGE_ERRORS.precondition_missing)
  const tags = header.split(',').map((tag) => tag.trim())
  if (!tags.includes('*') && !tags.includes(etagOf(client))) throw new OAuthError(CHANGE_ERRORS.client_stale)
}

/** Another request was faster. */
function staleIfChanged(error: unknown): never {
  const isStale = error instanceof OAuthError && error.reason === 'client_changed_meanwhile'
  throw isStale ? new OAuthError(CHANGE_ERRORS.client_stale, undefined, { cause: error }) : error
}
