import { defineCommand } from 'citty'
import { type AuditEntry, entryOf } from '../audit/entry.ts'
import { commandNamesOf } from '../config/command-names.ts'
import type { ConfiguredService, LoadService } from '../definition.ts'
import type { Service } from '../service/service.ts'
import type { Storage } from '../storage.ts'
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
        if (args.grants) console.log(endedLine(await endGrants(service, storage)))
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
  const run = await database
    .selectFrom('audit')
    .selectAll()
    .where('type', '=', 'sessions_ended')
    .where('subject', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  let newest: string | undefined
  let isNext = true
  for await (const { at, type, subject, by } of newestFirst(database)) {
    const isRun = type === 'sessions_ended' && subject === undefined
    if (isNext) newest = isRun ? undefined : at
    isNext = isRun
    if (!isRun && !(type === 'grant_revoked' && by === 'operator')) break
  }
  return { newest, ran: run && entryOf(run).at }
}

async function* newestFirst(database: Storage['database']): AsyncGenerator<AuditEntry> {
  const { auditPage } = await import('../audit/reading.ts')
  let cursor: string | undefined
  do {
    const page = await auditPage(database, {}, 200, cursor)
    yield* page.entries
    cursor = page.next
  } while (cursor !== undefined)
}

/** By a scan, as a removal of a client. A grant without a user is of a workload, or ends with its access token. */
async function endGrants({ grants }: Service, { store }: Storage): Promise<number> {
  let ended = 0
  const issuers = new Set<string>()
  for await (const { id, subject, authority } of store.grants.scan()) {
    if (subject !== undefined) ended += Number(await grants.revoke(subject, id, 'operator'))
    else if (authority !== undefined) issuers.add(authority.issuer)
  }
  for (const issuer of issuers) ended += await grants.endOf({ issuer })
  return ended
}

function endedLine(ended: number): string {
  return `${ended} ${ended === 1 ? 'grant' : 'grants'} ended.`
}

function toRepeat(
  { config, definition }: ConfiguredService,
  { newest, ran }: BeforeRestore,
  grantsEnded = false,
): string {
  const { users, clients } = commandNamesOf(definition)
  const since =
    newest === undefined
      ? 'The audit trail is empty.'
      : `The newest entry of the audit trail is of ${newest}. What came later is lost.`
  const again =
    ran === undefined
      ? ''
      : `\nThis command ran before, at ${ran}. If that was after this restore, and the server has run since, use the time that it printed then.`
  const rows = [
    ['account_removed', `${users} remove <subject>`],
    ['account_disabled', `${users} disable <subject>`],
    ['account_password_changed', `${users} password <subject>`],
    ['account_admin_removed', `${users} admin <subject> --off`],
    [
      'passkey_removed, identity_removed',
      `the user removes it again at /account; if it was stolen, ${users} disable <subject>`,
    ],
  ]
  const ofStore = [
    ['client_removed', `${clients} remove <client_id>`],
    ['client_secret_rotated', `${clients} rotate <client_id> --overlap-days 0`],
    ['client_changed', `${clients} update <client_id>`],
    ['initial_access_token_removed', `${clients} remove-token <id>`],
  ]
  return [
    `${again}\n${since} Look for these types in the log of the service since then, and repeat them:`,
    ...rows.map(line),
    ...(config.store === 'memory:'
      ? []
      : [
          '\nIf STORE_URL was restored too, repeat these as well:',
          ...ofStore.map(line),
          ...(grantsEnded ? [] : ['and run this command with --grants: revoked grants are back.']),
        ]),
  ].join('\n')
}

function line([types = '', command = '']: readonly string[]): string {
  return `  ${types.padEnd(33)}  ${command}`
}
