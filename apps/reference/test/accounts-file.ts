import { writeFile } from 'node:fs/promises'

/** Writes a file for `ACCOUNTS_FILE`. */
export function writeAccounts(path: string, accounts: readonly object[]): Promise<void> {
  return writeFile(path, JSON.stringify({ accounts }))
}
