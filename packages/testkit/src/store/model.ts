import { randomUUID } from 'node:crypto'
import type { Records, Stored } from '@grantkit/core/feature'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ListedKind } from './record-kind.ts'
import { patienceOf, type Subject } from './subject.ts'

type Step =
  | { readonly verb: 'insert' | 'replace'; readonly id: number; readonly lifetime: number }
  | { readonly verb: 'find'; readonly id: number }
  | { readonly verb: 'remove'; readonly id: number }
  | { readonly verb: 'wait'; readonly seconds: number }

/** Few ids, so that they collide; few times, so that limits are hit. */
const ID = fc.nat({ max: 2 })
const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ verb: fc.constantFrom('insert', 'replace'), id: ID, lifetime: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ verb: fc.constant('find' as const), id: ID }),
  fc.record({ verb: fc.constant('remove' as const), id: ID }),
  fc.record({ verb: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 8 }) }),
)

/** The simplest possible store: the version of a record is one of these objects, by identity. */
interface ModelRecord<T> {
  readonly value: T
  readonly expiresAt: number
}

/** Any sequence of calls has the same answers as a simple table of records. */
export function modelPromises<T>(subject: Subject, kind: ListedKind<T>): void {
  describe('any sequence of calls', () => {
    const numRuns = subject.realTime ? 50 : 500
    const timeout = patienceOf(subject, subject.realTime ? 60_000 : 30_000)

    it('answers as the model does', { timeout }, async ({ signal }) => {
      const sequence = fc.array(STEP, { minLength: 1, maxLength: 40 })
      await fc.assert(
        fc.asyncProperty(sequence, (steps) => agree(new Comparison(subject, kind, signal), steps)),
        { numRuns },
      )
    })
  })
}

async function agree<T>(comparison: Comparison<T>, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await comparison.take(step)
}

class Comparison<T> {
  readonly #subject: Subject
  readonly #kind: ListedKind<T>
  readonly #signal: AbortSignal
  readonly #records: Records<T>
  readonly #run = randomUUID()
  readonly #model = new Map<string, ModelRecord<T>>()
  /** The last read of each record, from the store and from the model. May be out of date. */
  readonly #seen = new Map<string, { stored: Stored<T>; modelled: ModelRecord<T> | undefined }>()

  constructor(subject: Subject, kind: ListedKind<T>, signal: AbortSignal) {
    this.#subject = subject
    this.#kind = kind
    this.#signal = signal
    this.#records = kind.records(subject.store)
  }

  async take(step: Step): Promise<void> {
    this.#signal.throwIfAborted()
    if (step.verb === 'wait') return this.#wait(step.seconds)
    const id = `${this.#run}-${step.id}`
    if (step.verb === 'find') return this.#find(id)
    if (step.verb === 'remove') return this.#remove(id)
    return step.verb === 'insert' ? this.#insert(id, step.lifetime) : this.#replace(id, step.lifetime)
  }

  /** In real time a second may pass between two lines, so nothing expires here. */
  #expiresAt(lifetime: number): number {
    return this.#subject.clock.now() + lifetime * (this.#subject.realTime ? 1000 : 1)
  }

  async #wait(seconds: number): Promise<void> {
    const { clock, realTime } = this.#subject
    if (!realTime) await clock.reach(clock.now() + seconds, this.#signal)
  }

  #modelled(id: string): ModelRecord<T> | undefined {
    const record = this.#model.get(id)
    return record !== undefined && this.#subject.clock.now() < record.expiresAt ? record : undefined
  }

  async #find(id: string): Promise<void> {
    const modelled = this.#modelled(id)
    const stored = await this.#records.find(id)
    expect(stored?.value).toStrictEqual(modelled?.value)
    if (stored !== undefined) this.#seen.set(id, { stored, modelled })
  }

  async #insert(id: string, lifetime: number): Promise<void> {
    const record = { value: this.#kind.marked(randomUUID()), expiresAt: this.#expiresAt(lifetime) }
    const expected = this.#modelled(id) === undefined
    expect(await this.#records.insert(id, record.value, record.expiresAt)).toBe(expected)
    if (expected) this.#model.set(id, record)
  }

  async #replace(id: string, lifetime: number): Promise<void> {
    const seen = this.#seen.get(id)
    if (seen === undefined) return
    const record = { value: this.#kind.marked(randomUUID()), expiresAt: this.#expiresAt(lifetime) }
    const expected = this.#modelled(id) !== undefined && this.#modelled(id) === seen.modelled
    expect(await this.#records.replace(id, seen.stored, record.value, record.expiresAt)).toBe(expected)
    if (expected) this.#model.set(id, record)
  }

  async #remove(id: string): Promise<void> {
    expect(await this.#records.remove(id)).toBe(this.#modelled(id) !== undefined)
    this.#model.delete(id)
  }
}
