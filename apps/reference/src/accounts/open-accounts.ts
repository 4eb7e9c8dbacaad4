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
 * The accounts. Imports accounts of `ACCOUNTS_FILE` that the database does not have. In development, an empty database
 * gets the two demo accounts.
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

/** The database may have been used in development. @throws Error when the password of an account is publicly known */
export async function refusePublicPasswords(accounts: AccountRows): Promise<void> {
  for (const word of ['demo', 'teacher'])
    if (await accounts.verify(`${word}@example.com`, word))
      throw new Error(
        `The password of ${word}@example.com is publicly known: remove the account with "pnpm account remove" first`,
      )
}
