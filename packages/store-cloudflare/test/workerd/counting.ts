import { runInDurableObject } from 'cloudflare:test'
import type { Database } from '../../src/d1.ts'
import type { RecordsNamespace, RecordsStub } from '../../src/durable-objects.ts'

export interface Count {
  calls: number
  /** Rows written: what Cloudflare bills. */
  rows: number
}

/** What a piece of work costs. */
export async function costOf(count: Count, work: () => Promise<unknown>): Promise<Count> {
  const { calls, rows } = count
  await work()
  return { calls: count.calls - calls, rows: count.rows - rows }
}

/** The same binding, which counts calls of objects and the rows that they write. */
export async function countingObjects(namespace: RecordsNamespace) {
  const count: Count = { calls: 0, rows: 0 }
  await runInDurableObject(namespace.getByName('any'), (_, { storage }) => {
    const statements = Object.getPrototypeOf(storage.sql) as typeof storage.sql
    const { exec } = statements
    statements.exec = function (...parameters) {
      const cursor = exec.apply(this, parameters)
      const { toArray } = cursor
      cursor.toArray = () => {
        const rows = toArray.call(cursor)
        count.rows += cursor.rowsWritten
        return rows
      }
      return cursor
    }
  })
  const counted = (stub: RecordsStub): RecordsStub =>
    new Proxy(stub, {
      get: (_, name: string) => {
        count.calls++
        // A method of a stub is no function that could be bound.
        const methods = stub as unknown as Record<string, (...parameters: unknown[]) => unknown>
        return (...parameters: unknown[]) => methods[name]?.(...parameters)
      },
    })
  const binding: RecordsNamespace = {
    getByName: (name, options) => counted(namespace.getByName(name, options)),
    jurisdiction: (name) => namespace.jurisdiction(name),
  }
  return { count, binding }
}

/** The same database, which counts statements and the rows that they write. */
export function countingDatabase(database: Database) {
  const count: Count = { calls: 0, rows: 0 }
  const binding: Database = {
    batch: (statements) => database.batch(statements),
    prepare(statement) {
      const prepared = database.prepare(statement)
      return {
        bind: (...values) => ({
          bind: () => prepared,
          async all() {
            count.calls++
            const answer = await prepared.bind(...values).all()
            count.rows += (answer as unknown as { meta: { rows_written: number } }).meta.rows_written
            return answer
          },
        }),
        all: () => prepared.all(),
      }
    },
  }
  return { count, binding }
}
