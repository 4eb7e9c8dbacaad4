import { randomUUID } from 'node:crypto'
import { protect } from '@grantkit/adapter-hono'
import {
  type Authorized,
  type AuthorizedClient,
  OAuthError,
  type ResourceServer,
  type Store,
} from '@grantkit/core'
import { defineErrors, sha256, type Transient, type Transients } from '@grantkit/core/feature'
import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import { type Actor, actingAs } from '../audit/caller.ts'
import type { TrailReader } from '../audit/reading.ts'
import type { AdminScope } from '../authorization/authorization-server.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import { storeErrorsAs503 } from '../database/errors-as-503.ts'
import { error } from '../http/responses.ts'
import type { Operator } from '../operator/operator.ts'
import type { WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'

export const NO_CONTENT = { 204: { description: 'Done, or nothing was to be done' } }
export const NOT_FOUND = { 404: error('It does not exist') }
export const CONFLICT = { 409: error('It contradicts what exists') }
export const PRECONDITION = {
  412: error('It has changed since the ETag of If-Match'),
  428: error('If-Match is missing'),
}
const ERRORS = {
  400: error('A parameter or a member of the body is wrong; all of them are named'),
  401: error('There is no token, or it is not valid here'),
  403: error('The token lacks the scope, or its client or user may not use the admin API'),
  503: error('The store or the database cannot be reached'),
}
const BODY_ERRORS = {
  413: error('The body is larger than 64 KiB'),
  415: error('The body has another media type'),
}

/** A required JSON body. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } }
}

/** Makes routes of the admin API: each needs a scope, and has the errors that every operation has. */
function operations(guarded: Guarded) {
  return <const Route extends Omit<RouteConfig, 'security' | 'middleware'>>(
    scope: AdminScope,
    route: Route,
  ) =>
    createRoute({
      ...route,
      security: [{ oauth2: [scope] }],
      middleware: guarded(scope),
      responses: { ...route.responses, ...ERRORS, ...(route.request?.body && BODY_ERRORS) },
    })
}

/** The application to which each part of the API adds its operations, with what these are made of. */
export type AdminApi = ReturnType<typeof adminApiOf>

export function adminApiOf(app: OpenAPIHono<AdminEnv>, options: AdminApiOptions) {
  const operation = operations(adminAccess(options))
  return { ...options, app, operation, onceOnly: onceOnly(options.store) }
}

/** An operation without a body, which answers 204. */
interface Effect<Path extends z.ZodObject> {
  readonly method: 'put' | 'delete'
  readonly path: string
  readonly operationId: string
  readonly tags: string[]
  readonly summary: string
  readonly description?: string
  readonly params: Path
  /** Default: that what the path names does not exist. */
  readonly responses?: typeof NO_CONTENT | (typeof NO_CONTENT & typeof NOT_FOUND & typeof CONFLICT)
  readonly work: (params: z.output<Path>) => Promise<unknown>
}

export function addEffect<Path extends z.ZodObject>(
  { app, operation }: AdminApi,
  { params, work, ...described }: Effect<Path>,
): void {
  const responses = { ...NO_CONTENT, ...NOT_FOUND }
  const request: { params: z.ZodObject } = { params }
  app.openapi(operation('admin:write', { responses, ...described, request }), async (c) => {
    await work(c.req.valid('param') as never)
    return c.body(null, 204)
  })
}

/** Variables of a request after the guard. */
export interface AdminEnv {
  Variables: { auth: Authorized | AuthorizedClient }
}

/** The middleware of an operation that needs this scope. */
type Guarded = (scope: AdminScope) => MiddlewareHandler<AdminEnv>[]

/** What the admin API is made of. */
export interface AdminApiOptions {
  readonly baseUrl: string
  readonly guard: ResourceServer<AdminScope>
  readonly operator: Operator
  readonly directory: AccountDirectory
  readonly ways: Pick<WaysToSignIn, 'passkeys' | 'identities'>
  readonly trail: TrailReader
  readonly store: Store
  /** Called with errors of handlers. */
  readonly onError: (error: unknown) => void
}

const ACCESS_ERRORS = defineErrors({
  token_without_resource: [
    'access_denied',
    'The access token is good for every resource; request one with the resource of the admin API',
    403,
  ],
  client_not_added: ['access_denied', 'Only a client that an operator added may use the admin API', 403],
  client_without_scope: ['access_denied', 'The client is not added with this scope of the admin API', 403],
  user_not_admin: ['access_denied', 'The user of the access token is no admin', 403],
})

/**
 * Who may use the admin API: a client with its own token, or with the token of a user who is an admin. Both are checked
 * at each request, so a removed client, a removed scope of it and a removed admin mark count at once. The trail names the client or the user.
 */
function adminAccess({ guard, directory, operator }: AdminApiOptions): Guarded {
  const tokens = guard.allowing({ clientCredentials: true })
  const requireOperator =
    (scope: AdminScope): MiddlewareHandler<AdminEnv> =>
    async (c, next) => {
      const { token } = c.var.auth
      // Every other API of this server gets such tokens too, and could use one here.
      if (token.resources.length === 0) throw new OAuthError(ACCESS_ERRORS.token_without_resource)
      // Any program can register itself and ask an admin for consent.
      const client = await operator.clients.find(token.clientId)
      if (client?.origin !== 'integration') throw new OAuthError(ACCESS_ERRORS.client_not_added)
      // The client may have lost it since, or the token is older than this rule.
      const own = token.by === 'client' ? client.clientCredentialsScopes : client.scopes
      if (own?.includes(scope) !== true) throw new OAuthError(ACCESS_ERRORS.client_without_scope)
      if (token.by !== 'client' && !(await directory.isAdmin(token.subject)))
        throw new OAuthError(ACCESS_ERRORS.user_not_admin)
      return actingAs(actorOf(c), next)
    }
  return (scope) => [protect(tokens, scope), requireOperator(scope)]
}

/** Who acts: the client itself, or the user it acts for. */
export function actorOf(c: Context<AdminEnv>): Actor {
  const { token } = c.var.auth
  return token.by === 'client' ? `client:${token.clientId}` : `account:${token.subject}`
}

// Shared by all lists of the admin API: pages with opaque cursors.

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

const NO_CURSOR = 'must be the next_cursor of a page'

/** The query of every list. */
export const PageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  cursor: z
    .string()
    .max(1000)
    .regex(/^[\w-]+$/, NO_CURSOR)
    .transform((cursor) => Buffer.from(cursor, 'base64url').toString())
    .refine((place) => !place.includes('\0'), NO_CURSOR)
    .optional()
    .openapi({ description: 'The next_cursor of the previous page' }),
}

/** @param name of the schema in the document */
export function pageOf<Item extends z.ZodType>(name: string, item: Item) {
  const next_cursor = z.string().optional().openapi({ description: 'Absent on the last page' })
  return z.object({ items: z.array(item), next_cursor }).openapi(name)
}

/** @param next where the next page begins; absent on the last one */
export function page<Item>(items: readonly Item[], next: string | undefined) {
  const next_cursor = next && Buffer.from(next).toString('base64url')
  return { items: [...items], ...(next_cursor && { next_cursor }) }
}

/** Postgres accepts no NUL in a text. */
export const text = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[^\0]*$/, 'must not have a NUL')

/** ISO 8601, in UTC. @param seconds since the epoch */
export function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/**
 * Does `work` once for a caller and a key of theirs; without a key, every time. A key whose work was refused can be used
 * again. After any other error it may have been done, so the key stays taken.
 *
 * @throws OAuthError `conflict` for a key that was used in the last 24 hours; `temporarily_unavailable`
 */
type OnceOnly = <Result>(
  caller: Actor,
  key: string | undefined,
  work: () => Promise<Result>,
) => Promise<Result>

const KEY_ERRORS = defineErrors({
  idempotency_key_used: [
    'conflict',
    'A request with this Idempotency-Key has succeeded; its answer, which may have a secret, is not kept',
    409,
  ],
  idempotency_key_in_use: [
    'conflict',
    'A request with this Idempotency-Key is being carried out. Try again',
    409,
  ],
  idempotency_outcome_unknown: [
    'conflict',
    'A request with this Idempotency-Key may have been carried out, and its answer was lost. See what it changed before you send it with another key',
    409,
  ],
})

interface KeyRecord extends Transient {
  readonly kind: 'admin_api_request'
  readonly state: 'begun' | 'unknown' | 'done'
  /** The request that has the key. */
  readonly request: string
  /** Epoch seconds. */
  readonly begunAt: number
}

/** Longer than any request takes. What began earlier was ended with its process. */
const MAX_SECONDS = 60

export function onceOnly(store: Store, now = () => Math.floor(Date.now() / 1000)): OnceOnly {
  const transients = store.transients && unavailableAs503(store.transients)
  return async (caller, key, work) => {
    if (key === undefined || transients === undefined) return work()
    const id = `admin-api:${sha256(JSON.stringify([caller, key]))}`
    const [begunAt, expiresAt] = [now(), now() + DAY_SECONDS]
    const request = randomUUID()
    const begun: KeyRecord = { kind: 'admin_api_request', state: 'begun', request, begunAt, expiresAt }
    const isNew = await transients.insert(id, begun, expiresAt).catch(async (error: unknown) => {
      // Nothing was done, and the record may have been kept all the same.
      await free(transients, id, request).catch(() => {})
      throw error
    })
    if (!isNew) throw await taken(transients, id, now())
    /** The answer is the one of the work, even if this is lost. */
    const become = async (state: KeyRecord['state']) => {
      const seen = await ownRecord(transients, id, request)
      if (seen !== undefined) await transients.replace(id, seen, { ...begun, state }, expiresAt)
    }
    try {
      const result = await work()
      await become('done').catch(() => {})
      return result
    } catch (error) {
      if (error instanceof OAuthError && error.status < 500)
        await free(transients, id, request).catch(() => {})
      else await become('unknown').catch(() => {})
      throw error
    }
  }
}

/** The methods that are used here. */
function unavailableAs503(transients: Transients) {
  return storeErrorsAs503<Pick<Transients, 'find' | 'insert' | 'replace' | 'remove'>>({
    find: (id) => transients.find(id),
    insert: (id, value, expiresAt) => transients.insert(id, value, expiresAt),
    replace: (id, seen, value, expiresAt) => transients.replace(id, seen, value, expiresAt),
    remove: (id) => transients.remove(id),
  })
}
type Keys = ReturnType<typeof unavailableAs503>

/** Of this request only: another one may have the key, and be at work. */
async function ownRecord(transients: Keys, id: string, request: string) {
  const seen = await transients.find(id)
  return (seen?.value as KeyRecord | undefined)?.request === request ? seen : undefined
}

async function free(transients: Keys, id: string, request: string): Promise<void> {
  if ((await ownRecord(transients, id, request)) !== undefined) await transients.remove(id)
}

async function taken(transients: Keys, id: string, now: number): Promise<OAuthError> {
  const { state, begunAt } = ((await transients.find(id))?.value ?? {
    state: 'begun',
    begunAt: now,
  }) as Pick<KeyRecord, 'state' | 'begunAt'>
  if (state === 'done') return new OAuthError(KEY_ERRORS.idempotency_key_used)
  if (state === 'begun' && now < begunAt + MAX_SECONDS)
    return new OAuthError(KEY_ERRORS.idempotency_key_in_use, undefined, { retryAfter: 1 })
  return new OAuthError(KEY_ERRORS.idempotency_outcome_unknown)
}
