import { OAuthError, type PublicClient } from '@grantkit/core'
import { defineErrors } from '@grantkit/core/feature'
import { clientRevision, snakeCased } from '@grantkit/core/internal'
import { z } from '@hono/zod-openapi'
import { json } from '../http/responses.ts'
import {
  CLIENT_MEMBERS,
  type Given,
  INITIAL_TOKEN_MEMBERS,
  type Member,
  type MemberTable,
  ROTATION_MEMBERS,
  wordsOf,
} from '../operator/client-members.ts'
import { clientInformation, initialTokenInformation, isUnknown, PATIENCE } from '../operator/clients.ts'
import {
  type AdminApi,
  actorOf,
  addEffect,
  body,
  CONFLICT,
  NO_CONTENT,
  NOT_FOUND,
  PageQuery,
  PRECONDITION,
  page,
  pageOf,
  text,
} from './operation.ts'

/** The messages about clients, by the names of RFC 7591. */

const MAX_SCOPES = 500

function schemaOf({ type }: Member) {
  switch (type.is) {
    case 'text':
      return type.max === undefined ? text : z.string().min(1).max(type.max)
    case 'uri':
      return text
    case 'list':
    case 'uris':
      return z.array(text).max(type.max)
    case 'scopes':
      return type.min === undefined
        ? z.array(text).max(MAX_SCOPES)
        : z.array(text).min(type.min).max(MAX_SCOPES)
    case 'choice':
      return z.enum(type.choices)
    case 'boolean':
      return z.boolean()
    case 'keys':
      return z.object({ keys: z.array(z.record(z.string(), z.unknown())) })
    default:
      return z.int().min(type.min).max(type.max)
  }
}

/** What an operator gives of a new record. */
function newRecord(name: string, table: MemberTable) {
  return objectOf(name, table, (schema, { isRequired, type }) => {
    if (isRequired) return schema
    const byDefault = 'byDefault' in type ? type.byDefault : undefined
    return byDefault === undefined ? schema.optional() : schema.default(byDefault)
  })
}

/** What an operator changes. `null` removes a member (RFC 7396). */
function changedRecord(name: string, table: MemberTable) {
  const changeable = Object.entries(table).filter(([, { isFixed }]) => !isFixed)
  return objectOf(name, Object.fromEntries(changeable), (schema) => schema.nullish())
}

function objectOf(
  name: string,
  table: MemberTable,
  read: (schema: z.ZodType, member: Member) => z.ZodType,
): z.ZodType<Given> {
  const shape = Object.entries(table).map(([member, column]) => {
    const description = descriptionOf(column)
    const schema = read(schemaOf(column), column)
    return [member, description === undefined ? schema : schema.openapi({ description })]
  })
  return z.strictObject(Object.fromEntries(shape)).openapi(name)
}

function descriptionOf(member: Member): string | undefined {
  const words = wordsOf(member)
  if (words === undefined) return undefined
  const unit = member.type.is === 'seconds' ? ', in seconds' : ''
  const without = member.otherwise === undefined ? '' : `; default: ${member.otherwise}`
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${unit}${without}`
}

const NewClient = newRecord('NewClient', CLIENT_MEMBERS)
const ClientChanges = changedRecord('ClientChanges', CLIENT_MEMBERS)
const Rotation = newRecord('SecretRotation', ROTATION_MEMBERS)
const NewInitialToken = newRecord('NewInitialAccessToken', INITIAL_TOKEN_MEMBERS)

const RotatedSecret = z
  .object({
    client_id: z.string(),
    client_secret: z.string().openapi({ description: 'Shown this once; only its hash is kept' }),
    client_secret_expires_at: z.int().openapi({ description: 'Epoch seconds; 0: never' }),
    old_secret_ends_at: z
      .int()
      .optional()
      .openapi({ description: 'Epoch seconds. Absent: the older secret has ended' }),
  })
  .openapi('RotatedSecret')

const InitialToken = z
  .object({
    id: z.string(),
    token: z.string().openapi({ description: 'Shown this once; only its hash is kept' }),
    expires_at: z.iso.datetime(),
  })
  .openapi('InitialAccessToken')

const Client = z
  .looseObject({
    client_id: z.string(),
    client_id_issued_at: z.int().openapi({ description: 'Epoch seconds' }),
    client_name: z.string().optional(),
    origin: z.enum(['integration', 'registered', 'document']).openapi({
      description: 'An operator added it, it registered itself, or a document describes it (CIMD)',
    }),
    known_client: z
      .string()
      .optional()
      .openapi({ description: 'The known client whose redirect URIs it has' }),
    redirect_uris: z.array(z.string()),
    application_type: z.enum(['native', 'web']),
    token_endpoint_auth_method: z.string(),
    grant_types: z.array(z.string()),
    scopes: z.array(z.string()).optional(),
    client_credentials_scopes: z.array(z.string()).optional(),
    client_secret_expires_at: z
      .int()
      .optional()
      .openapi({ description: 'Epoch seconds. Absent: it has no secret, or one without an end' }),
    old_secret_ends_at: z
      .int()
      .optional()
      .openapi({ description: 'Epoch seconds: when the secret before the newest one ends, or has ended' }),
  })
  .openapi('Client')
const AddedClient = Client.extend({
  client_secret: z.string().optional().openapi({ description: 'Shown this once; only its hash is kept' }),
}).openapi('AddedClient')

const ClientPage = pageOf('ClientPage', Client)
const ClientPath = z.object({
  client_id: text.openapi({ description: 'Percent-encoded: the id of a client with a document is a URL' }),
})
const ClientQuery = z.strictObject({
  ...PageQuery,
  recently: z.enum(['added', 'registered', 'allowed']).default('added').openapi({
    description:
      'What happened to them: an operator added them, they registered themselves, or a user allowed them',
  }),
})
const IdempotencyKey = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 ASCII characters without spaces')
    .optional()
    .openapi({ description: 'A repeated request with the same key adds no second client, for a day' }),
})

const IfMatch = z.object({
  'if-match': z
    .string()
    .max(1000)
    .optional()
    .openapi({ description: 'Required: the ETag of the client as it was read' }),
})

const tags = ['Clients']

/** Lists, shows, adds and removes clients. */
export function clientsOfServer({ app, operation, operator: { clients }, onceOnly }: AdminApi): void {
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
export function clientChanges(api: AdminApi): void {
  const { app, operation, onceOnly } = api
  const { clients } = api.operator
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
  addEffect(api, {
    ...{
      method: 'delete',
      path: '/clients/{client_id}/secret/old',
      operationId: 'dropOldClientSecret',
      tags,
    },
    params: ClientPath,
    summary: 'End the older secret of a client',
    responses: { ...NO_CONTENT, ...NOT_FOUND, ...CONFLICT },
    work: ({ client_id }) => clients.endOldSecret(client_id),
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
export function initialAccessTokens(api: AdminApi): void {
  const { app, operation, onceOnly } = api
  const { clients } = api.operator
  const add = operation('admin:write', {
    ...{ method: 'post', path: '/initial-access-tokens', operationId: 'addInitialAccessToken', tags },
    request: { headers: IdempotencyKey, body: body(NewInitialToken) },
    summary: 'Make a token with which clients register themselves',
    description: 'Registration demands one where INITIAL_ACCESS_TOKENS is on.',
    responses: { 201: json('The token', InitialToken), ...CONFLICT },
  })
  app.openapi(add, async (c) => {
    const key = c.req.valid('header')['idempotency-key']
    const members = c.req.valid('json')
    const added = await onceOnly(actorOf(c), key, () => clients.addInitialToken(members))
    return c.json(initialTokenInformation(added) as z.output<typeof InitialToken>, 201)
  })
  addEffect(api, {
    ...{
      method: 'delete',
      path: '/initial-access-tokens/{id}',
      operationId: 'removeInitialAccessToken',
      tags,
    },
    params: z.object({ id: text }),
    summary: 'End a token; clients that registered with it stay',
    responses: NO_CONTENT,
    work: ({ id }) => unlessGone(clients.removeInitialToken(id)),
  })
}
