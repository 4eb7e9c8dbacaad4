import { defineCommand } from 'citty'
import type { AuditEntry, AuditQuery } from '../audit/reading.ts'
import { everyItem } from '../database/lists.ts'
import type { ConfiguredService, LoadService } from '../definition.ts'
import type { Storage } from '../storage.ts'
import { endedGrants } from './terminal.ts'
import { withService } from './with-service.ts'

/** Makes a restored backup safe: what has ended since must not come back. */
export const afterRestore = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'After a restore of DATABASE_URL: signs every user out, and lists what to repeat from the log. A backup has the sessions, passwords and passkeys of its day',
    },
    args: {
      grants: {
        type: 'boolean',
        description: 'ends every grant too, after a restore of STORE_URL: every app asks its user again',
      },
    },
    run: async ({ args }) => {
      const configured = await load()
      await withService(configured, async (service, storage) => {
        const before = await beforeRestore(storage)
        await service.accounts.endAllSessions()
        console.log('Every user is signed out. Links for a new password are void.')
        if (args.grants) console.log(`${endedGrants(await service.operator.grants.endOfEveryone())}.`)
        console.log(toRepeat(configured, before, args.grants))
      })
    },
  })

/** Times are ISO 8601, in UTC. */
interface BeforeRestore {
  /** Of the newest entry of the trail, without those of this command. */
  readonly newest?: string | undefined
  /** When this command ran the last time. */
  readonly ran?: string | undefined
}

/** The command may be run once more: what it wrote itself is not of the backup. */
async function beforeRestore({ database }: Storage): Promise<BeforeRestore> {
  const isRun = ({ type, subject }: AuditEntry) => type === 'sessions_ended' && subject === undefined
  let ran: string | undefined
  for await (const entry of newestFirst(database, { types: ['sessions_ended'] })) {
    if (!isRun(entry)) continue
    ran = entry.at
    break
  }
  let newest: string | undefined
  let isNext = true
  for await (const entry of newestFirst(database)) {
    if (isNext) newest = isRun(entry) ? undefined : entry.at
    isNext = isRun(entry)
    if (!isNext && !(entry.type === 'grant_revoked' && entry.by === 'operator')) break
  }
  return { newest, ran }
}

async function* newestFirst(
  database: Storage['database'],
  query: AuditQuery = {},
): AsyncGenerator<AuditEntry> {
  const { auditPage } = await import('../audit/reading.ts')
  yield* everyItem((cursor) => auditPage(database, query, 200, cursor))
}

function toRepeat(
  { config, definition }: ConfiguredService,
  { newest, ran }: BeforeRestore,
  grantsEnded = false,
): string {
  const { program = 'grantkit' } = definition
  const since =
    newest === undefined
      ? 'The audit trail is empty.'
      : `The newest entry of the audit trail is of ${newest}. What came later is lost.`
  const again =
    ran === undefined
      ? ''
      : `\nThis command ran before, at ${ran}. If that was after this restore, and the server has run since, use the time that it printed then.`
  const rows = [
    ['account_removed', `${program} users remove <subject>`],
    ['account_disabled', `${program} users disable <subject>`],
    ['account_password_changed', `${program} users password <subject>`],
    ['account_admin_removed', `${program} users admin <subject> --off`],
    [
      'passkey_removed, identity_removed',
      `the user removes it again at /account; if it was stolen, ${program} users disable <subject>`,
    ],
  ]
  const ofStore = [
    ['client_removed', `${program} clients remove <client_id>`],
    ['client_secret_rotated', `${program} clients rotate <client_id> --overlap-days 0`],
    ['client_changed', `${program} clients update <client_id>`],
    ['initial_access_token_removed', `${program} clients remove-token <id>`],
  ]
  return [
    `${again}\n${since} Look for these types in the log of the service since then, and repeat them:`,
    ...rows.map(line),
    ...(config.store === 'memory:'
      ? []
      : [
          '\nIf STORE_URL was restored too, repeat these as well:',
          ...ofStore.map(line),
          ...(newest === undefined ? [] : [ORDER]),
          ...(grantsEnded ? [] : ['and run this command with --grants: revoked grants are back.']),
        ]),
  ].join('\n')
}

/** What happened between the two backups of another order lies before the time, and is lost all the same. */
const ORDER =
  'The time holds only if the database was backed up before the store; otherwise begin with the time of the backup of the store, if it is earlier.'

function line([types = '', command = '']: readonly string[]): string {
  return `  ${types.padEnd(33)}  ${command}`
}
