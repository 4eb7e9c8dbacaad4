import { OAuthError, type PublicClient } from '@grantkit/core'
import { defineErrors } from '@grantkit/core/feature'
import { clientRevision, snakeCased } from '@grantkit/core/internal'
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { clientInformation, initialTokenInformation, isUnknown, PATIENCE } from '../operator/clients.ts'
import type { Operator } from '../operator/operator.ts'
import {
  AddedClient,
  Client,
  ClientChanges,
  ClientPage,
  ClientPath,
  ClientQuery,
  IdempotencyKey,
  IfMatch,
  InitialToken,
  NewClient,
  NewInitialToken,
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
  text,
} from './operation.ts'

export interface ClientsOptions {
  readonly operator: Operator
  readonly onceOnly: OnceOnly
}

const tags = ['Clients']

/** Lists, shows, adds and removes clients. */
export function clientsOfServer(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  { operator: { clients }, onceOnly }: ClientsOptions,
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
      const { items, next } = await clients.recent({ entries: recently, limit }, cursor)
      const shown = items.map(({ client }) => clientOf(client))
      return c.json(page(shown, next), 200)
    })
    .openapi(show, async (c) => {
      const client = await clients.read(c.req.valid('param').client_id)
      c.header('etag', etagOf(client))
      return c.json(clientOf(client), 200)
    })
    .openapi(add, async (c) => {
      const key = c.req.valid('header')['idempotency-key']
      const members = c.req.valid('json')
      const added = await onceOnly(actorOf(c), key, () => clients.add(members))
      const { clientSecret: _, ...client } = added
      c.header('etag', etagOf(client))
      return c.json(clientOf(added), 201)
    })
    .openapi(remove, async (c) => {
      const id = c.req.valid('param').client_id
      const continues = (await unlessGone(clients.remove(id, PATIENCE))) === undefined
      return c.body(null, continues ? 202 : 204)
    })
}

/** A repeated DELETE succeeds (RFC 9110 9.2.2). */
async function unlessGone<Result>(removal: Promise<Result>): Promise<Result | 'gone'> {
  return removal.catch((error) => {
    if (isUnknown(error)) return 'gone'
    throw error
  })
}

function clientOf(client: PublicClient): z.output<typeof Client> {
  return clientInformation(client) as z.output<typeof Client>
}

const PRECONDITION_ERRORS = defineErrors({
  precondition_missing: ['precondition_required', 'If-Match is missing: send the ETag of the client', 428],
})

/** Changes a client, and its secret. */
export function clientChanges(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  { operator: { clients }, onceOnly }: ClientsOptions,
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
      const match = c.req.valid('header')['if-match']
      if (match === undefined) {
        await clients.read(id)
        throw new OAuthError(PRECONDITION_ERRORS.precondition_missing)
      }
      const client = await clients.update(id, c.req.valid('json'), revisionsIn(match))
      c.header('etag', etagOf(client))
      return c.json(clientOf(client), 200)
    })
    .openapi(rotate, async (c) => {
      const id = c.req.valid('param').client_id
      const key = c.req.valid('header')['idempotency-key']
      const rotation = c.req.valid('json')
      const rotated = await onceOnly(actorOf(c), key, () => clients.rotateSecret(id, rotation))
      return c.json(snakeCased(rotated) as z.output<typeof RotatedSecret>, 201)
    })
    .openapi(drop, async (c) => {
      await clients.endOldSecret(c.req.valid('param').client_id)
      return c.body(null, 204)
    })
}

/** The strong entity tag of a client (RFC 9110 8.8.3). */
function etagOf(client: PublicClient): string {
  return `"${clientRevision(client)}"`
}

/** The states of the client with which a change may be made: strong entity tags (RFC 9110 13.1.1). `undefined`: all. */
function revisionsIn(header: string): string[] | undefined {
  const tags = header.split(',').map((tag) => tag.trim())
  return tags.includes('*') ? undefined : tags.flatMap((tag) => /^"(.*)"$/.exec(tag)?.[1] ?? [])
}

/** Makes and ends initial access tokens (RFC 7591 3). */
export function initialAccessTokens(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  { operator: { clients }, onceOnly }: ClientsOptions,
): void {
  const add = operation('admin:write', {
    ...{ method: 'post', path: '/initial-access-tokens', operationId: 'addInitialAccessToken', tags },
    request: { headers: IdempotencyKey, body: body(NewInitialToken) },
    summary: 'Make a token with which clients register themselves',
    description: 'Registration demands one where INITIAL_ACCESS_TOKENS is on.',
    responses: { 201: json('The token', InitialToken), ...CONFLICT },
  })
  const remove = operation('admin:write', {
    ...{
      method: 'delete',
      path: '/initial-access-tokens/{id}',
      operationId: 'removeInitialAccessToken',
      tags,
    },
    request: { params: z.object({ id: text }) },
    summary: 'End a token; clients that registered with it stay',
    responses: NO_CONTENT,
  })
  app
    .openapi(add, async (c) => {
      const key = c.req.valid('header')['idempotency-key']
      const members = c.req.valid('json')
      const added = await onceOnly(actorOf(c), key, () => clients.addInitialToken(members))
      return c.json(initialTokenInformation(added) as z.output<typeof InitialToken>, 201)
    })
    .openapi(remove, async (c) => {
      await unlessGone(clients.removeInitialToken(c.req.valid('param').id))
      return c.body(null, 204)
    })
}
