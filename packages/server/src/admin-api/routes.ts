import { OAuthError, type ScopeDefinition } from '@grantkit/core'
import { errorResponse, readBody, toResponse } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { type Hook, OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { AuditEntry } from '../audit/reading.ts'
import { ADMIN_SCOPES, adminResource } from '../authorization/authorization-server.ts'
import { jsonError, revalidatedText } from '../http/bodies-and-answers.ts'
import { json } from '../http/responses.ts'
import { COUNTED, type KeyState } from '../operator/overview.ts'
import { clientChanges, clientsOfServer, initialAccessTokens } from './clients.ts'
import {
  type AdminApi,
  type AdminApiOptions,
  type AdminEnv,
  adminApiOf,
  moment,
  PageQuery,
  page,
  pageOf,
  text,
} from './operation.ts'
import { users } from './users.ts'

/**
 * The admin API: what the admin pages do, for programs. Every operation needs an access token for this API with the
 * scope `admin:read` or `admin:write`.
 */
export function adminApi(options: AdminApiOptions): OpenAPIHono<AdminEnv> {
  const app = new OpenAPIHono<AdminEnv>({ defaultHook: refuseInvalid })
  const api = adminApiOf(app, options)
  app.onError(errorAnswer(options.onError))
  // Before the rule for personal data, which it has none of.
  app.get('/openapi.json', revalidatedText(adminDocument(app, options.baseUrl), DOCUMENT_HEADERS))
  app.use(withoutCaching, boundedBody)
  users(api)
  clientsOfServer(api)
  clientChanges(api)
  initialAccessTokens(api)
  stateOfService(api)
  return app
}

const DOCUMENT_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-cache' }

/** Answers hold personal data. */
const withoutCaching: MiddlewareHandler = async (c, next) => {
  await next()
  c.header('cache-control', 'no-store')
}

/** Reads the body up to the limit of the OAuth endpoints, as `bodyLimit()` of Hono does: it leaves a request with it. */
const boundedBody: MiddlewareHandler = async (c, next) => {
  const { method, headers, url } = c.req.raw
  if (method !== 'GET' && method !== 'HEAD')
    c.req.raw = new Request(url, { method, headers, body: await readBody(c.req.raw) })
  return next()
}

const MAX_CHARACTERS = 1000

// biome-ignore lint/suspicious/noExplicitAny: of every route
const refuseInvalid: Hook<any, AdminEnv, any, any> = (result, c) => {
  if (result.success) return undefined
  const faults = result.error.issues.map(({ path, message }) => [path.join('.'), message].join(' ').trim())
  return jsonError(c, 400, 'invalid_request', printable(faults.join('; ')))
}

/** The characters of an error_description (RFC 6749 5.2). Names of unknown members are input of the caller. */
function printable(text: string): string {
  const plain = text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?')
  return plain.slice(0, MAX_CHARACTERS)
}

function errorAnswer(onError: (error: unknown) => void) {
  return (error: Error, c: Context): Response => {
    if (error instanceof HTTPException && error.status === 415)
      return jsonError(c, 415, 'invalid_request', 'The body must be application/json')
    if (error instanceof HTTPException) return jsonError(c, 400, 'invalid_request', 'The body is not JSON')
    const refusal = error instanceof OAuthError ? error : new OAuthError(ERRORS.unexpected)
    if (refusal.status >= 500) onError(error)
    return toResponse(errorResponse(refusal))
  }
}

const TAGS = {
  Users: 'Accounts, and who is an admin.',
  Grants: 'What users allowed.',
  Clients: 'Applications and services.',
  Service: 'Health, signing keys and the audit trail.',
}

/**
 * The OpenAPI document of the admin API as JSON, generated from its routes at the first call. It takes milliseconds and does not
 * change afterwards.
 */
function adminDocument(app: OpenAPIHono<AdminEnv>, baseUrl: string): () => string {
  const tokenUrl = `${baseUrl}/api/oauth/token`
  const scopes = Object.fromEntries(
    Object.entries<ScopeDefinition>(ADMIN_SCOPES).map(([name, { description }]) => [
      name,
      String(description),
    ]),
  )
  app.openAPIRegistry.registerComponent('securitySchemes', 'oauth2', {
    type: 'oauth2',
    description: `Tokens must be requested with resource=${adminResource(baseUrl)} (RFC 8707).`,
    flows: {
      clientCredentials: { tokenUrl, scopes },
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes,
      },
    },
  })
  const described = () =>
    app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Admin API',
        version: '1.0.0',
        description: 'What the admin pages do, for programs. Lists are paged: send next_cursor as cursor.',
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      servers: [{ url: adminResource(baseUrl) }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    })
  let known: string | undefined
  return () => (known ??= JSON.stringify(described()))
}

// What there is to see of the service itself: its health, its signing keys and the audit trail.

const time = z.iso.datetime()
const SigningKey = z
  .object({
    kid: z.string(),
    alg: z.string(),
    role: z.enum(['signs', 'next', 'earlier']),
    signs_from: time.optional(),
    made_at: time.optional(),
  })
  .openapi('SigningKey')
const SigningKeys = z.object({ items: z.array(SigningKey) }).openapi('SigningKeys')
const Probe = z.object({ answers: z.boolean(), milliseconds: z.number() })
const OverviewAnswer = z
  .object({
    health: z.object({ store: Probe, database: Probe }),
    last_day: z.object(Object.fromEntries(COUNTED.map((type) => [type, z.int()]))).openapi({
      description: 'How many events of each type the last 24 hours had',
    }),
    known_clients_refused: z.record(z.string(), z.int()).openapi({
      description: 'Known clients that were refused in the last 24 hours because they are off, by id',
    }),
    sign_ins_refused: z
      .array(z.object({ provider: z.string(), reason: z.string(), count: z.int() }))
      .openapi({ description: 'Sign-ins with OpenID providers that were refused in the last 24 hours' }),
    keys: z.array(SigningKey),
  })
  .openapi('Overview')
const Entry = z
  .object({
    id: z.string(),
    at: time,
    type: z.string(),
    sub: z.string().optional(),
    client_id: z.string().optional(),
    facts: z.record(z.string(), z.unknown()),
  })
  .openapi('TrailEntry')
const EntryPage = pageOf('TrailPage', Entry)

const instant = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-01-31T08:00:00Z' })
  .transform((given) => new Date(given).toISOString())
  .optional()
const TrailQuery = z.strictObject({
  ...PageQuery,
  type: text.optional(),
  sub: text.optional(),
  client_id: text.optional(),
  since: instant,
  until: instant,
})

const tags = ['Service']

function stateOfService({ app, operation, operator, trail }: AdminApi): void {
  const showOverview = operation('admin:read', {
    ...{ method: 'get', path: '/overview', operationId: 'readOverview', tags },
    summary: 'Health, signing keys, and how many events the last day had',
    responses: { 200: json('The overview', OverviewAnswer) },
  })
  const listKeys = operation('admin:read', {
    ...{ method: 'get', path: '/keys', operationId: 'listKeys', tags },
    summary: 'List the signing keys',
    description: 'Public members only. A rotation writes the key file, so it is a command.',
    responses: { 200: json('The keys, in the order of the file', SigningKeys) },
  })
  const queryTrail = operation('admin:read', {
    ...{ method: 'get', path: '/trail', operationId: 'queryTrail', tags, request: { query: TrailQuery } },
    summary: 'Read the audit trail, the newest entries first',
    responses: { 200: json('A page of entries', EntryPage) },
  })
  app
    .openapi(showOverview, async (c) => {
      const { health, keys, lastDay, knownClientsRefused, signInsRefused } = await operator.overview()
      const counts = { last_day: { ...lastDay }, known_clients_refused: { ...knownClientsRefused } }
      const sign_ins_refused = signInsRefused.map((refusals) => ({ ...refusals }))
      return c.json({ health, ...counts, sign_ins_refused, keys: keys.map(keyOf) }, 200)
    })
    .openapi(listKeys, async (c) => c.json({ items: (await operator.state()).keys.map(keyOf) }, 200))
    .openapi(queryTrail, async (c) => {
      const { limit, cursor, type, sub, client_id, since, until } = c.req.valid('query')
      const query = { subject: sub, clientId: client_id, types: type === undefined ? undefined : [type] }
      const { items, next } = await trail.page({ ...query, since, until }, limit, cursor)
      return c.json(page(items.map(entryOf), next), 200)
    })
}

function keyOf({ kid, alg, role, signsFrom, madeAt }: KeyState): z.output<typeof SigningKey> {
  const at = (seconds: number | undefined) => (seconds === undefined ? undefined : moment(seconds))
  return { kid, alg, role, signs_from: at(signsFrom), made_at: at(madeAt) }
}

function entryOf({ id, at, type, subject, clientId, ...facts }: AuditEntry): z.output<typeof Entry> {
  return { id, at, type, sub: subject, client_id: clientId, facts }
}
