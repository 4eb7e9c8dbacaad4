import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { styleText } from 'node:util'
import type { AuditEntry } from '../audit/entry.ts'
import { type AuditQuery, auditEntries, auditPage } from '../audit/reading.ts'
import type { Database } from '../database/database.ts'
import { parseSettings } from '../settings/settings.ts'
import { readCommandLine, refuse, wholeNumber } from './command-line.ts'
import { fail, jsonText, plain } from './terminal.ts'
import { withTrail } from './with-trail.ts'

/** Shows the audit trail: consents, sign-ins, revocations and changes by operators. */

const USAGE = `pnpm trail list     [--limit <number>] the newest first; 50 if left out
pnpm trail export   all of it as JSON lines, the oldest first

Both take
  --since <time>      such as 2026-01-31 or 2026-01-31T08:00:00Z; included
  --until <time>      not included
  --type <type>       such as grant_revoked; may be repeated
  --user <id>         as "pnpm account list" shows it
  --client <id>`

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: {
    limit: { type: 'string', default: '50' },
    since: { type: 'string' },
    until: { type: 'string' },
    type: { type: 'string', multiple: true },
    user: { type: 'string' },
    client: { type: 'string' },
  },
})

const COMMANDS: Readonly<Record<string, (database: Database, query: AuditQuery) => Promise<void>>> = {
  async list(database, query) {
    const { entries } = await auditPage(database, query, wholeNumber(USAGE, '--limit', values.limit))
    for (const entry of entries) console.log(lineOf(entry))
    if (entries.length === 0) console.log('There is nothing of that kind.')
  },
  async export(database, query) {
    const lines = Readable.from(jsonLines(auditEntries(database, query)))
    await pipeline(lines, process.stdout, { end: false })
  },
}

try {
  const command = COMMANDS[positionals.join(' ')]
  if (command === undefined) refuse(USAGE, 'The command must be list or export.')
  const query = queryOf()
  await withTrail(parseSettings(process.env), (_, database) => command(database, query))
} catch (error) {
  fail(error)
}

function queryOf(): AuditQuery {
  const { user: subject, client: clientId, type: types, since, until } = values
  return { subject, clientId, types, since: momentOf('--since', since), until: momentOf('--until', until) }
}

function momentOf(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  return refuse(USAGE, `${option} must be a time such as 2026-01-31T08:00:00Z, not "${text}".`)
}

async function* jsonLines(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${jsonText(entry)}\n`
}

function lineOf({ id: _, at, type, subject, clientId, ...facts }: AuditEntry): string {
  const who = [subject && `user ${plain(subject)}`, clientId && `client ${plain(clientId)}`].filter(Boolean)
  const known = Object.entries(facts).filter(([, value]) => !(Array.isArray(value) && value.length === 0))
  const rest = known.map(([name, value]) => `${name} ${plain(value)}`)
  return [at, styleText('bold', type.padEnd(20)), ...who, styleText('dim', rest.join('  '))]
    .join('  ')
    .trimEnd()
}
