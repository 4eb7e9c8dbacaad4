import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely'

/** Milliseconds. Waiting for a lock blocks the event loop, so the limit is short. */
export const BUSY_MS = 250

/**
 * The rows of a query, read at once. `undefined`: the file is not open yet, or a transaction is under way, which only Kysely
 * waits for. So no row is read that may still be rolled back.
 */
export type RowsNow = (sql: string, values: readonly unknown[]) => readonly unknown[] | undefined

interface NodeSqlite {
  readonly dialect: Dialect
  /** Without Kysely, which takes three times as long for a row as SQLite. */
  readonly rowsNow: RowsNow
}

/** Kysely on the SQLite of Node: no package, nothing native. @param path of the file, or `:memory:` */
export function nodeSqlite(path: string): NodeSqlite {
  let file: DatabaseSync | undefined
  let statements: SqliteDatabase | undefined
  const open = async () => {
    file = openFile(path)
    statements = betterSqlite3(file)
    return statements
  }
  return {
    dialect: {
      createDriver: () => new NodeSqliteDriver({ database: open }, () => file?.isTransaction === true),
      createAdapter: () => new TransactionalAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (database) => new SqliteIntrospector(database),
    },
    rowsNow(sql, values) {
      if (file?.isOpen !== true || file.isTransaction) return undefined
      return statements?.prepare(sql).all(values)
    },
  }
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #isTransaction: () => boolean

  constructor(config: SqliteDialectConfig, isTransaction: () => boolean) {
    super(config)
    this.#isTransaction = isTransaction
  }

  /** Takes the write lock at the beginning: of two processes that read first, only one could write. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** On a full disk SQLite rolls back by itself. A second time would be an error, in place of the one that says so. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#isTransaction()) await super.rollbackTransaction(connection)
  }
}

/**
 * SQLite rolls back DDL too: all migrations are one transaction, and processes that start at once wait for each other.
 */
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

/**
 * The interface of better-sqlite3, as far as Kysely uses it. Each statement is prepared once, because preparing it
 * takes longer than running it.
 */
function betterSqlite3(database: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>()
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = prepared.get(sql)
      if (known !== undefined) return known
      const statement = statementOf(database.prepare(sql))
      // Lists of values produce statements of any length, and before 24.20 Node gives a statement the columns of its first run.
      if (prepared.size === MAX_PREPARED || SCHEMA_CHANGE.test(sql)) prepared.clear()
      prepared.set(sql, statement)
      return statement
    },
  }
}

const MAX_PREPARED = 200
const SCHEMA_CHANGE = /^\s*(alter|create|drop)\s/i

function statementOf(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values as SQLInputValue[])),
    run: (values) => statement.run(...(values as SQLInputValue[])),
    iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
  }
}
