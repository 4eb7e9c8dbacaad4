import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

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
  const name = `test_${randomUUID().replaceAll('-', '')}`
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
  const client = new Client(server)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
