import { type CustomAdapter, createAdapterFactory } from 'better-auth/adapters'

/**
 * Tables for better-auth in memory. Its own memory adapter scans every row for every query and copies the whole
 * database for every transaction, so its cost grows with the number of tokens. This one has indexes.
 *
 * @param wrap changes the adapter, such as for a slow one
 */
export function mapAdapter(wrap: (adapter: CustomAdapter) => CustomAdapter = (adapter) => adapter) {
  const tables = new Map<string, Table>()
  function table(model: string): Table {
    const found = tables.get(model) ?? new Table()
    tables.set(model, found)
    return found
  }
  return createAdapterFactory({
    config: {
      adapterId: 'map',
      adapterName: 'Maps with indexes',
      supportsArrays: true,
      supportsJSON: true,
      transaction: false,
    },
    adapter: () => wrap(methodsOn(table)),
  })
}

function methodsOn(table: (model: string) => Table): CustomAdapter {
  return {
    create: async ({ model, data }) => table(model).add(data) as never,
    findOne: async ({ model, where }) => (table(model).select(where)[0] ?? null) as never,
    findMany: async ({ model, where = [], limit }) => table(model).select(where).slice(0, limit) as never,
    count: async ({ model, where = [] }) => table(model).select(where).length,
    update: async ({ model, where, update }) =>
      (table(model).update(where, update as Row)[0] ?? null) as never,
    updateMany: async ({ model, where, update }) => table(model).update(where, update).length,
    delete: async ({ model, where }) => void table(model).remove(where),
    deleteMany: async ({ model, where }) => table(model).remove(where).length,
    consumeOne: async ({ model, where }) => (table(model).remove(where, 1)[0] ?? null) as never,
  }
}

type Row = Record<string, unknown>

interface Condition {
  readonly field: string
  readonly value: unknown
  readonly operator: string
  readonly connector: 'AND' | 'OR'
}

class Table {
  readonly #rows = new Set<Row>()
  readonly #indexes = new Map<string, Map<unknown, Set<Row>>>()

  add(row: Row): Row {
    this.#rows.add(row)
    for (const [field, index] of this.#indexes) insert(index, row[field], row)
    return row
  }

  select(where: readonly Condition[]): Row[] {
    const strange = where.find(
      ({ operator, connector }) => !OPERATORS.includes(operator) || connector !== 'AND',
    )
    if (strange !== undefined)
      throw new Error(`The tables of the benchmark know no ${JSON.stringify(strange)}`)
    const [first] = where
    const candidates =
      first?.operator === 'eq' ? (this.#index(first.field).get(first.value) ?? []) : this.#rows
    return [...candidates].filter((row) => where.every((condition) => holds(condition, row)))
  }

  update(where: readonly Condition[], changes: Row): Row[] {
    return this.remove(where).map((row) => this.add(Object.assign(row, changes)))
  }

  remove(where: readonly Condition[], most = Number.POSITIVE_INFINITY): Row[] {
    const found = this.select(where).slice(0, most)
    for (const row of found) {
      this.#rows.delete(row)
      for (const [field, index] of this.#indexes) index.get(row[field])?.delete(row)
    }
    return found
  }

  #index(field: string): Map<unknown, Set<Row>> {
    const existing = this.#indexes.get(field)
    if (existing !== undefined) return existing
    const index = new Map<unknown, Set<Row>>()
    for (const row of this.#rows) insert(index, row[field], row)
    this.#indexes.set(field, index)
    return index
  }
}

const OPERATORS = ['eq', 'in']

function holds({ field, value, operator }: Condition, row: Row): boolean {
  const own = comparable(row[field])
  if (operator === 'in') return (value as readonly unknown[]).some((each) => comparable(each) === own)
  return own === comparable(value)
}

/** Two dates of one time are different objects. */
function comparable(value: unknown): unknown {
  return value instanceof Date ? value.getTime() : (value ?? null)
}

function insert(index: Map<unknown, Set<Row>>, value: unknown, row: Row): void {
  const rows = index.get(value)
  if (rows === undefined) index.set(value, new Set([row]))
  else rows.add(row)
}
