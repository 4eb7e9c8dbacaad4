/// <reference path="./cloudflare-workers.d.ts" />
import { DurableObject } from 'cloudflare:workers'
import {
  ENLIST,
  ENTRIES,
  FIND_ALL,
  KEEP_OBJECTS_OF_STORE,
  OBJECT_SCHEMA,
  OBJECT_STATEMENTS,
  OBJECTS_OF_STORE,
  SWEEPS,
} from './object-schema.ts'
import type { Row, SqlValue } from './records.ts'
import type { RecordKind, Verb } from './statements.ts'
import { sweepTables } from './sweep.ts'

/**
 * One of the objects of a store, with a part of its records. Export it from your Worker and bind it: the store calls its
 * methods. Each method is synchronous, so nothing comes between its statements, and its answer leaves the object when
 * what it wrote is on disk.
 */
export class GrantkitRecords extends DurableObject {
  readonly #sql = this.ctx.storage.sql

  constructor(ctx: ConstructorParameters<typeof DurableObject>[0], env: unknown) {
    super(ctx, env as never)
    void this.ctx.blockConcurrencyWhile(async () => {
      for (const statement of OBJECT_SCHEMA) this.#sql.exec(statement)
      if ((await this.ctx.storage.getAlarm()) === null) await this.#sweepLater()
    })
  }

  run(kind: RecordKind, verb: Verb, parameters: readonly SqlValue[]): Row[] {
    return this.#rows(OBJECT_STATEMENTS[kind][verb], parameters)
  }

  /** Adds a grant to the lists of its subject. */
  enlist(...entry: SqlValue[]): void {
    this.#rows(ENLIST, entry)
  }

  /** A page of a list of grants. */
  entries(by: 'subject' | 'owner', parameters: readonly SqlValue[]): Row[] {
    return this.#rows(ENTRIES[by], parameters)
  }

  /** The grants of this object that live, among some keys. */
  findAll(keys: readonly string[], now: number): Row[] {
    return this.#rows(FIND_ALL, [JSON.stringify(keys), now])
  }

  /** The number of objects with which this store began, which is `objects` at its first call. */
  objectsOfStore(objects: number): number {
    const [kept] = this.#rows(OBJECTS_OF_STORE, [])
    if (kept !== undefined) return Number(kept.value)
    this.#rows(KEEP_OBJECTS_OF_STORE, [String(objects)])
    return objects
  }

  override async alarm(): Promise<void> {
    // First: if the sweep fails again and again, the next day tries it once more.
    await this.#sweepLater()
    const rows = (statement: string, values: readonly SqlValue[]) => this.#rows(statement, values)
    await sweepTables(rows, { tables: SWEEPS, now: Date.now() / 1000, maxSteps: MAX_STEPS })
  }

  /** Between half a day and one and a half, so that the objects of a store do not sweep all at once. */
  #sweepLater(): Promise<void> {
    return this.ctx.storage.setAlarm(Date.now() + DAY_MS * (0.5 + Math.random()))
  }

  #rows(statement: string, values: readonly SqlValue[]): Row[] {
    return this.#sql.exec(statement, ...values).toArray()
  }
}

const DAY_MS = 86_400_000

/** Two million rows: ten seconds of the thirty that an alarm may compute. */
const MAX_STEPS = 1000
