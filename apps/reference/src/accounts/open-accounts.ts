import type { Database } from '../database/database.ts'
import type { Settings } from '../settings/settings.ts'
import { type AccountEvent, type AccountRows, accountRows } from './account-rows.ts'
import { type Account, DEMO_ACCOUNT, demoAccounts, readAccounts } from './accounts.ts'

interface OpenAccounts {
  readonly accounts: AccountRows
  /** Whether the demo account can sign in. */
  readonly demo: boolean
}

/**
 * The accounts, with those of `ACCOUNTS_FILE` that the database does not know. In development a database without any
 * gets the two of the demo.
 */
export async function openAccounts(
  settings: Settings,
  database: Database,
  onEvent: (event: AccountEvent) => void,
): Promise<OpenAccounts> {
  const accounts = accountRows(database, onEvent)
  const production = settings.NODE_ENV === 'production'
  const by = settings.ACCOUNTS_FILE === undefined ? 'demo' : 'import'
  for (const account of await newAccounts(settings, database)) await accounts.add(account, { by })
  return { accounts, demo: !production && (await accounts.find(DEMO_ACCOUNT)) !== undefined }
}

async function newAccounts({ ACCOUNTS_FILE, NODE_ENV }: Settings, database: Database): Promise<Account[]> {
  if (ACCOUNTS_FILE !== undefined) return readAccounts(ACCOUNTS_FILE)
  if (NODE_ENV === 'production') return []
  const known = await database.selectFrom('account').select('id').limit(1).execute()
  return known.length === 0 ? demoAccounts() : []
}

/** The database may have been one of development. @throws Error when the password of an account is public */
export async function refusePublicPasswords(accounts: AccountRows): Promise<void> {
  for (const word of ['demo', 'teacher'])
    if (await accounts.verify(`${word}@example.com`, word))
      throw new Error(`Everybody knows the password of ${word}@example.com: "pnpm account remove" it first`)
}
