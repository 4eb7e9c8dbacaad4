import { writeFile } from 'node:fs/promises'
import type { Account } from '@grantkit/server/internal/accounts/accounts'

/** Writes a file for `ACCOUNTS_FILE`. */
export function writeAccounts(path: string, accounts: readonly Account[]): Promise<void> {
  return writeFile(path, JSON.stringify({ accounts }))
}
