import { styleText } from 'node:util'
import { defineCommand } from 'citty'
import type { AuditEntry, AuditQuery } from '../audit/reading.ts'
import type { LoadService } from '../definition.ts'
import { KEPT_TYPES } from '../events.ts'
import { everyValue, suggestion, UsageError, wholeNumber } from './command-line.ts'
import { jsonText, pipeLines, plain, printList } from './terminal.ts'
import { withTrail } from './with-service.ts'

const QUERY = {
  since: {
    type: 'string',
    valueHint: 'time',
    description: 'such as 2026-01-31 or 2026-01-31T08:00:00Z; included',
  },
  until: { type: 'string', valueHint: 'time', description: 'not included' },
  type: { type: 'string', description: 'such as grant_revoked; may be repeated' },
  user: { type: 'string', valueHint: 'id', description: 'the id of a user' },
  client: { type: 'string', valueHint: 'client_id' },
} as const

/** Shows the audit trail: consents, sign-ins, revocations and changes by operators. */
export const trail = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Shows the audit trail: consents, sign-ins, revocations, changes by operators' },
    subCommands: { list: list(load), export: exported(load) },
  })

const list = (load: LoadService) =>
  defineCommand({
    meta: { description: 'The newest entries first' },
    args: { limit: { type: 'string', default: '50', valueHint: 'number' }, ...QUERY },
    run: async ({ args, rawArgs }) => {
      const [query, limit] = [await queryOf(args, rawArgs), wholeNumber('--limit', args.limit)]
      const { auditPage } = await import('../audit/reading.ts')
      await withTrail(await load(), async (_, database) => {
        const { items } = await auditPage(database, query, limit)
        await printList(items, false, lineOf, 'There is nothing of that kind.')
      })
    },
  })

const exported = (load: LoadService) =>
  defineCommand({
    meta: { description: 'All of it as JSON lines, the oldest first' },
    args: QUERY,
    run: async ({ args, rawArgs }) => {
      const query = await queryOf(args, rawArgs)
      const { auditEntries } = await import('../audit/reading.ts')
      await withTrail(await load(), (_, database) => pipeLines(auditEntries(database, query), jsonText))
    },
  })

async function queryOf(
  args: Partial<Record<keyof typeof QUERY, string | undefined>>,
  words: readonly string[],
): Promise<AuditQuery> {
  const types = everyValue(words, 'type')
  const unknown = types.find((type) => !KEPT_TYPES.includes(type))
  if (unknown !== undefined)
    throw new UsageError(
      `--type must be a type of the audit trail, not "${unknown}".${suggestion(unknown, KEPT_TYPES) || ` Known: ${KEPT_TYPES.join(', ')}.`}`,
    )
  return {
    subject: args.user,
    clientId: args.client,
    types: types.length === 0 ? undefined : types,
    since: timeOption('--since', args.since),
    until: timeOption('--until', args.until),
  }
}

function timeOption(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  throw new UsageError(`${option} must be a time such as 2026-01-31T08:00:00Z, not "${text}".`)
}

function lineOf({ id: _, at, type, subject, clientId, ...facts }: AuditEntry): string {
  const who = [subject && `user ${plain(subject)}`, clientId && `client ${plain(clientId)}`].filter(Boolean)
  const known = Object.entries(facts).filter(([, value]) => !(Array.isArray(value) && value.length === 0))
  const rest = known.map(([name, value]) => `${name} ${plain(value)}`)
  return [at, styleText('bold', type.padEnd(20)), ...who, styleText('dim', rest.join('  '))]
    .join('  ')
    .trimEnd()
}
