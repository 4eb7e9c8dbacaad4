import type { Time } from '@grantkit/core/internal'
import { EventQueue } from './event-queue.ts'
import { ForeignWaits } from './foreign-waits.ts'

/** For microtasks: `queueMicrotask` makes an async resource for each. */
const SETTLED = Promise.resolve()

/**
 * Virtual time: nothing waits, the clock jumps to the next event. JavaScript has one thread and runs all microtasks before the next
 * turn, so one event in each turn makes a run repeatable. A turn here is a tick of Node, which costs a third of one of the event loop.
 */
export class VirtualTime implements Time {
  readonly #queue = new EventQueue()
  readonly #actors: Promise<unknown>[] = []
  readonly #waits = new ForeignWaits()
  #now = 0

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now
  }

  /** @returns cancels it */
  after(milliseconds: number, work: () => void): () => void {
    const event = this.#queue.add(this.#now + Math.max(0, milliseconds), work)
    return () => {
      event.work = undefined
    }
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve))
  }

  /** Work that must come to its end before the queue is empty. */
  start(actor: () => Promise<unknown>): void {
    this.#actors.push(this.#waits.watch(actor))
  }

  /**
   * Runs all events.
   *
   * @throws ForeignWaitError when something waits outside of the queue
   */
  async run(): Promise<void> {
    const { stackTraceLimit } = Error
    // A refusal is an error, and its stack a quarter of its cost.
    Error.stackTraceLimit = 0
    this.#waits.start()
    try {
      await this.#waits.watch(() => this.#drain())
      await this.#requireEnd()
    } finally {
      this.#waits.stop()
      Error.stackTraceLimit = stackTraceLimit
    }
  }

  #drain(): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (error: unknown) => reject(error)
      for (const actor of this.#actors) actor.catch(failed)
      const turn = () => {
        try {
          this.#waits.throwIfAny()
          const event = this.#takeNext()
          if (event === undefined) return resolve()
          this.#now = event.at
          event.work()
        } catch (error) {
          return reject(error)
        }
        void SETTLED.then(afterMicrotasks)
      }
      // Ticks run before microtasks, unless a microtask adds the tick: then all microtasks come first.
      const nextTurn = () => process.nextTick(turn)
      const afterMicrotasks = () => this.#waits.whenSigned(nextTurn)
      void SETTLED.then(afterMicrotasks)
    })
  }

  #takeNext(): { readonly at: number; readonly work: () => void } | undefined {
    for (let event = this.#queue.takeFirst(); event !== undefined; event = this.#queue.takeFirst())
      if (event.work !== undefined) return { at: event.at, work: event.work }
    return undefined
  }

  async #requireEnd(): Promise<void> {
    const open = Symbol('open')
    const ends = this.#actors.map((actor) => Promise.race([actor, Promise.resolve(open)]))
    if ((await Promise.all(ends)).includes(open))
      throw new Error('The queue is empty, and an actor waits for something that is not in it')
  }
}
