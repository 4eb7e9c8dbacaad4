import {
  createDurableStore,
  GrantkitRecords as Records,
  type RecordsNamespace,
  type RecordsStub,
} from '@grantkit/store-cloudflare/durable-objects'
import { calling, count, withCounts } from './counts.ts'
import { grantkitOver, workerOf } from './grantkit.ts'

let isCounting = false

/** Counts the rows that its statements read and write. */
export class GrantkitRecords extends Records {
  constructor(...parameters: ConstructorParameters<typeof Records>) {
    super(...parameters)
    if (isCounting) return
    isCounting = true
    countRows(Object.getPrototypeOf(this.ctx.storage.sql))
  }
}

interface Cursor {
  toArray(): unknown[]
  readonly rowsRead: number
  readonly rowsWritten: number
}

/** For all objects: they share the prototype. */
function countRows(sql: { exec(...parameters: unknown[]): Cursor }): void {
  const { exec } = sql
  sql.exec = function (...parameters) {
    const cursor = exec.apply(this, parameters)
    const { toArray } = cursor
    cursor.toArray = () => {
      const rows = toArray.call(cursor)
      count('rowsRead', cursor.rowsRead)
      count('rowsWritten', cursor.rowsWritten)
      return rows
    }
    return cursor
  }
}

function countingCalls(namespace: RecordsNamespace): RecordsNamespace {
  return {
    getByName: (name, options) => countingStub(namespace.getByName(name, options)),
    jurisdiction: (name) => countingCalls(namespace.jurisdiction(name)),
  }
}

function countingStub(stub: RecordsStub): RecordsStub {
  return new Proxy(stub, {
    get: (_, name: string) => {
      // A method of a stub is no function that could be bound.
      const methods = stub as unknown as Record<string, (...parameters: unknown[]) => Promise<unknown>>
      return (...parameters: unknown[]) => calling('calls', async () => methods[name]?.(...parameters))
    },
  })
}

export default withCounts(
  workerOf<{ RECORDS: RecordsNamespace }>(({ RECORDS }, origin) =>
    grantkitOver(createDurableStore(countingCalls(RECORDS)), origin),
  ),
)
