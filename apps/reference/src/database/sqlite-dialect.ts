import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/** A lock is waited for inside the event loop, so briefly. In milliseconds. */
export const BUSY_MS = 250

/** Kysely on the SQLite of Node: no package, nothing native. @param path of the file, or `:memory:` */
export function nodeSqlite(path: string): Dialect {
  return {
    createDriver: () => new ImmediateDriver({ database: async () => betterSqlite3(openFile(path)) }),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  }
}

/** Takes the lock for writing at the begin: of two processes that read first, one could not write after. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** SQLite undoes DDL too: all migrations are one transaction, and processes that start at once wait for each other. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

function openFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_MS })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  return database
}

/** The interface of better-sqlite3, as far as Kysely calls it. */
function betterSqlite3(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...(values as SQLInputValue[])),
        run: (values) => statement.run(...(values as SQLInputValue[])),
        iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
      }
    },
  }
}
