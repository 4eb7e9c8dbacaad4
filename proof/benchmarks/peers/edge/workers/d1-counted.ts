import { createD1Store, type Database, type DatabaseStatement } from '@grantkit/store-cloudflare/d1'
import { calling, count, withCounts } from './counts.ts'
import { grantkitOver, workerOf } from './grantkit.ts'

interface Meta {
  readonly rows_read: number
  readonly rows_written: number
}

function countingRows(database: Database): Database {
  return {
    batch: (statements) => database.batch(statements),
    prepare: (statement) => countingStatement(database.prepare(statement)),
  }
}

function countingStatement(statement: DatabaseStatement): DatabaseStatement {
  return {
    bind: (...values) => countingStatement(statement.bind(...values)),
    async all() {
      const answer = await calling('calls', () => statement.all())
      const { rows_read, rows_written } = (answer as unknown as { meta: Meta }).meta
      count('rowsRead', rows_read)
      count('rowsWritten', rows_written)
      return answer
    },
  }
}

export default withCounts(
  workerOf<{ DB: Database }>(({ DB }, origin) => grantkitOver(createD1Store(countingRows(DB)), origin)),
)
