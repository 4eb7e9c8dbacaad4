import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import { pruneAttempts, rowOf } from '../src/attempts/recording.ts'
import type { Database } from '../src/database/database.ts'
import type { AttemptStepRow } from '../src/database/tables.ts'
import { withoutAccounts } from './connected.ts'
import { DANA } from './people.ts'

const NOW = new Date('2026-01-10T08:00:00Z')
const DAY = 24 * 60 * 60

interface Kept {
  readonly subject?: string
  readonly days: number
  readonly daysAgo?: number
}

/** @param kept how many days, and when it happened */
function step(reference: string, { subject, days, daysAgo = 0 }: Kept): AttemptStepRow {
  const at = NOW.getTime() / 1000 - daysAgo * DAY
  const made = { type: 'step', reference, at, step: 'requested', outcome: 'ok' } as const
  return rowOf({ ...made, millis: at * 1000, order: 0 }, subject, { days, suffix: () => reference })
}

async function write(database: Database, ...rows: AttemptStepRow[]): Promise<void> {
  await database.insertInto('attempt_steps').values(rows).execute()
}

async function references(database: Database): Promise<string[]> {
  const rows = await database.selectFrom('attempt_steps').select('reference').orderBy('id').execute()
  return rows.map(({ reference }) => reference)
}

onEachDatabase((newDatabase) => {
  describe('the steps of sign-in attempts', () => {
    it('cannot be changed', async () => {
      const { database } = await withoutAccounts(newDatabase)
      await write(database, step('AAAA0001', { days: 3 }))
      const forged = sql`update attempt_steps set subject = 'forged'`
      await expect(forged.execute(database)).rejects.toThrow('append-only')
      await sql`replace into attempt_steps select id, 'forged', 0, null, null, '', '' from attempt_steps`
        .execute(database)
        .catch(() => {})
      expect(await references(database)).toEqual(['AAAA0001'])
    })

    it('are deleted once they have expired, and those of removed accounts', async () => {
      const { database } = await withoutAccounts(newDatabase)
      const accounts = accountRows(database, () => {})
      await accounts.add(DANA)
      await accounts.remove(DANA.id)
      await write(
        database,
        step('OVER0001', { days: 3, daysAgo: 4 }),
        step('KEPT0001', { days: 3, daysAgo: 3 }),
        step('KEPT0002', { subject: 'bo', days: 14, daysAgo: 4 }),
        step('GONE0001', { subject: DANA.id, days: 14 }),
      )
      expect(await pruneAttempts(database, NOW)).toBe(2)
      expect(await references(database)).toEqual(['KEPT0002', 'KEPT0001'])
    })

    it('go with the account of their user, with those from before the sign-in', async () => {
      const { database } = await withoutAccounts(newDatabase)
      const accounts = accountRows(database, () => {})
      await accounts.add(DANA)
      await write(
        database,
        step('AAAA0001', { days: 3, daysAgo: 1 }),
        step('AAAA0001', { subject: DANA.id, days: 14 }),
        step('BBBB0001', { subject: 'bo', days: 14 }),
      )
      expect(await accounts.remove(DANA.id)).toBe(true)
      expect(await references(database)).toEqual(['BBBB0001'])
    })

    it('stay if another user has a part in the attempt: only those of the removed user go', async () => {
      const { database } = await withoutAccounts(newDatabase)
      const accounts = accountRows(database, () => {})
      await accounts.add(DANA)
      await write(
        database,
        step('SAME0001', { days: 3, daysAgo: 2 }),
        step('SAME0001', { subject: 'bo', days: 14, daysAgo: 1 }),
        step('SAME0001', { subject: DANA.id, days: 14 }),
      )
      expect(await accounts.remove(DANA.id)).toBe(true)
      const left = await database.selectFrom('attempt_steps').select('subject').orderBy('id').execute()
      expect(left).toEqual([{ subject: null }, { subject: 'bo' }])
    })
  })
})
