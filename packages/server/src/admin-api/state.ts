import { type OpenAPIHono, z } from '@hono/zod-openapi'
import type { AuditEntry } from '../audit/reading.ts'
import { COUNTED, type KeyState } from '../operator/overview.ts'
import {
  type AdminApiOptions,
  type AdminEnv,
  json,
  moment,
  type Operations,
  PageQuery,
  page,
  pageOf,
  text,
} from './operation.ts'

/** What there is to see of the service itself: its health, its signing keys and the audit trail. */

const time = z.iso.datetime()
const SigningKey = z
  .object({
    kid: z.string(),
    alg: z.string(),
    role: z.enum(['signs', 'next', 'earlier']),
    signs_from: time.optional(),
    made_at: time,
    may_be_older: z
      .boolean()
      .openapi({ description: 'An earlier release made it, and the audit trail has no entry of it' }),
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

export function stateOfService(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  { operator, trail }: AdminApiOptions,
): void {
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
      const { entries, next } = await trail.page({ ...query, since, until }, limit, cursor)
      return c.json(page(entries.map(entryOf), next), 200)
    })
}

function keyOf({ kid, alg, role, signsFrom, madeAt, mayBeOlder }: KeyState): z.output<typeof SigningKey> {
  const signs_from = signsFrom === undefined ? undefined : moment(signsFrom)
  return { kid, alg, role, signs_from, made_at: moment(madeAt), may_be_older: mayBeOlder }
}

function entryOf({ id, at, type, subject, clientId, ...facts }: AuditEntry): z.output<typeof Entry> {
  return { id, at, type, sub: subject, client_id: clientId, facts }
}
