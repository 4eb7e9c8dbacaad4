import { onBothDatabases } from '@grantkit/test-servers/on-both-databases'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import { pruneAttempts } from '../src/attempts/attempt-rows.ts'
import { type KeyedStep, rowOf } from '../src/attempts/step-row.ts'
import type { Database } from '../src/database/database.ts'
import { connected } from './connected.ts'
import { DANA } from './people.ts'

const NOW = new Date('2026-01-10T08:00:00Z')
const DAY = 24 * 60 * 60

/** @param daysAgo when it happened */
function step(reference: string, daysAgo = 0): KeyedStep {
  const at = NOW.getTime() / 1000 - daysAgo * DAY
  const key = `${new Date(at * 1000).toISOString()}-${reference}`
  return { type: 'step', reference, at, step: 'requested', outcome: 'ok', key }
}

async function write(database: Database, ...rows: ReturnType<typeof rowOf>[]): Promise<void> {
  await database.insertInto('attempt_steps').values(rows).execute()
}

async function references(database: Database): Promise<string[]> {
  const rows = await database.selectFrom('attempt_steps').select('reference').orderBy('id').execute()
  return rows.map(({ reference }) => reference)
}

onBothDatabases((newDatabase) => {
  describe('the steps of sign-in attempts', () => {
    it('cannot be changed', async () => {
      const database = await connected(await newDatabase())
      await write(database, rowOf(step('AAAA0001'), undefined, 3))
      const forged = sql`update attempt_steps set subject = 'forged'`
      await expect(forged.execute(database)).rejects.toThrow('append-only')
      await sql`replace into attempt_steps select id, 'forged', 0, null, null, '', '' from attempt_steps`
        .execute(database)
        .catch(() => {})
      expect(await references(database)).toEqual(['AAAA0001'])
    })

    it('are deleted once they have expired, and those of removed accounts', async () => {
      const database = await connected(await newDatabase())
      const accounts = accountRows(database, () => {})
      await accounts.add(DANA)
      await accounts.remove(DANA.id)
      await write(
        database,
        rowOf(step('OVER0001', 4), undefined, 3),
        rowOf(step('KEPT0001', 3), undefined, 3),
        rowOf(step('KEPT0002', 4), 'bo', 14),
        rowOf(step('GONE0001'), DANA.id, 14),
      )
      expect(await pruneAttempts(database, NOW)).toBe(2)
      expect(await references(database)).toEqual(['KEPT0002', 'KEPT0001'])
    })

    it('go with the account of their user, with those from before the sign-in', async () => {
      const database = await connected(await newDatabase())
      const accounts = accountRows(database, () => {})
      await accounts.add(DANA)
      await write(
        database,
        rowOf(step('AAAA0001', 1), undefined, 3),
        rowOf(step('AAAA0001'), DANA.id, 14),
        rowOf(step('BBBB0001'), 'bo', 14),
      )
      expect(await accounts.remove(DANA.id)).toBe(true)
      expect(await references(database)).toEqual(['BBBB0001'])
    })
  })
})
