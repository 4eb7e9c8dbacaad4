/** Another process with the same database: `account-process.ts <url>`. It does to accounts what it is told. */
import { accountRows } from '../src/accounts/account-rows.ts'
import { openDatabase } from '../src/database/database.ts'

/** A method of the accounts, and its parameters. */
export type Call = readonly ['claims' | 'setDisabled', ...parameters: unknown[]]

const accounts = accountRows(await openDatabase(process.argv[2] ?? '', console.error), () => {})
process.on('message', async ([method, ...parameters]: Call) => {
  const run = accounts[method] as (...parameters: unknown[]) => Promise<unknown>
  process.send?.({ result: await run(...parameters) })
})
process.once('disconnect', () => process.exit())
process.send?.({ result: 'ready' })
