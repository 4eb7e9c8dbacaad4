import { parseSettings } from '../settings/settings.ts'
import { openStorage } from '../storage.ts'
import { readCommandLine, refuse } from './command-line.ts'
import { fail } from './terminal.ts'

/** Migrates the tables before a start does, for example with a database role that may change them. */

const USAGE = `pnpm database migrate

Brings the tables of DATABASE_URL and of STORE_URL up to date. A start does it too, if its role may. No other command does.`

const { positionals } = readCommandLine(USAGE, { allowPositionals: true })

try {
  if (positionals.join(' ') !== 'migrate') refuse(USAGE, 'The command must be migrate.')
  const onMigrated = (done: readonly string[]) =>
    console.log(done.length === 0 ? 'The tables were up to date.' : `Carried out: ${done.join(', ')}.`)
  const storage = await openStorage(parseSettings(process.env), console.error, { onMigrated })
  await storage.close()
} catch (error) {
  fail(error, 'Not migrated.')
}
