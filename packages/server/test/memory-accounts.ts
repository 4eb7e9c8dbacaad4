import { accountRows } from '../src/accounts/account-rows.ts'
import { openDatabase } from '../src/database/database.ts'
import { migrate } from '../src/database/migrate.ts'

/** A database in memory with its tables, and its accounts. */
export async function memoryAccounts(onEvent: Parameters<typeof accountRows>[1] = () => {}) {
  const database = await openDatabase('memory:', () => {})
  await migrate(database)
  return { database, accounts: accountRows(database, onEvent) }
}
