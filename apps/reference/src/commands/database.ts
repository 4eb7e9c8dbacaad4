import { styleText } from 'node:util'
import { openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { parseSettings } from '../settings.ts'
import { readCommandLine, refuse } from './command-line.ts'

/** Brings the tables of the database up to date before a start does, as with a role that may change them. */

const USAGE = `pnpm database migrate

Brings the tables of the database that DATABASE_URL names up to date. A start does it too, if its role may.`

const { positionals } = readCommandLine(USAGE, { allowPositionals: true })

try {
  if (positionals.join(' ') !== 'migrate') refuse(USAGE, 'The command must be migrate.')
  const database = await openDatabase(parseSettings(process.env).DATABASE_URL, console.error)
  const done = await migrate(database).finally(() => database.destroy())
  console.log(done.length === 0 ? 'The tables were up to date.' : `Carried out: ${done.join(', ')}.`)
} catch (error) {
  console.error(styleText('red', `Not migrated. ${error instanceof Error ? error.message : error}`))
  process.exitCode = 1
}
