import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { openDatabase } from '../src/database/database.ts'

/** A database of its own on a server that others use too. */
interface PostgresDatabase {
  readonly url: string
  /** Closes all connections to it and rejects new ones, as if its server had crashed. */
  stop(): Promise<void>
  restart(): Promise<void>
  /** Also with open connections. */
  drop(): Promise<void>
}

/** @param server the URL of any database of the server, as its owner */
export async function newDatabase(server: string): Promise<PostgresDatabase> {
  const name = `school_${randomUUID().replaceAll('-', '')}`
  const execute = (...statements: string[]) => executeAt(server, statements)
  await execute(`create database ${name}`)
  return {
    url: server.replace(/[^/]*$/, name),
    stop: () =>
      execute(
        `alter database ${name} allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      ),
    restart: () => execute(`alter database ${name} allow_connections true`),
    drop: () => execute(`drop database ${name} with (force)`),
  }
}

async function executeAt(server: string, statements: readonly string[]): Promise<void> {
  const database = await openDatabase(server, () => {})
  for (const statement of statements) await sql.raw(statement).execute(database)
  await database.destroy()
}
