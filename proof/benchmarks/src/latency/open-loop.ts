import { performance } from 'node:perf_hooks'
import { Histogram } from './histogram.ts'

export interface Clock {
  /** Milliseconds. */
  now(): number
  /** Calls back after pending input and output, without ever sleeping: a timer is a millisecond late. */
  soon(callback: () => void): void
}

export const REAL_CLOCK: Clock = { now: () => performance.now(), soon: (callback) => setImmediate(callback) }

interface OpenLoop {
  /** Milliseconds after the start, in order. */
  readonly arrivals: Float64Array
  /** Sends a request and calls back after its response. @returns false if no connection is free */
  readonly begin: (ended: () => void) => boolean
  /** How long responses are awaited after the last arrival, in milliseconds. */
  readonly patience: number
  readonly clock?: Clock
}

export interface OpenLoopResult {
  readonly histogram: Histogram
  /** The most requests that had started and had no response. */
  readonly maxOutstanding: number
  /** The requests without a response when the patience ended. They are in the histogram with the time that they had waited. */
  readonly unanswered: number
  /** The longest time between two turns of the generator, in milliseconds: latencies below that may be its own. */
  readonly maxPause: number
}

/**
 * Starts requests at their moments, whatever the server does. The latency of each counts from the moment at which it should
 * have started, so a request that waits for a connection is slow, and not absent (no coordinated omission).
 */
export async function openLoop({
  arrivals,
  begin,
  patience,
  clock = REAL_CLOCK,
}: OpenLoop): Promise<OpenLoopResult> {
  const run = new Run(arrivals, begin, clock)
  const deadline = clock.now() + (arrivals.at(-1) ?? 0) + patience
  return new Promise((resolve) => {
    const turn = () => {
      run.beginDue()
      if (run.isOver || clock.now() > deadline) resolve(run.result())
      else clock.soon(turn)
    }
    turn()
  })
}

class Run {
  readonly #arrivals: Float64Array
  readonly #begin: OpenLoop['begin']
  readonly #clock: Clock
  readonly #start: number
  readonly #histogram = new Histogram()
  readonly #outstanding = new Set<number>()
  #due = 0
  #begun = 0
  #turnedAt: number
  #maxPause = 0
  #maxOutstanding = 0

  constructor(arrivals: Float64Array, begin: OpenLoop['begin'], clock: Clock) {
    this.#arrivals = arrivals
    this.#begin = begin
    this.#clock = clock
    this.#start = clock.now()
    this.#turnedAt = this.#start
  }

  get isOver(): boolean {
    return this.#due === this.#arrivals.length && this.#outstanding.size === 0
  }

  /** The first that is due goes first. */
  beginDue(): void {
    const now = this.#clock.now()
    this.#maxPause = Math.max(this.#maxPause, now - this.#turnedAt)
    this.#turnedAt = now
    while ((this.#arrivals[this.#due] ?? Number.POSITIVE_INFINITY) <= now - this.#start)
      this.#outstanding.add(this.#due++)
    this.#maxOutstanding = Math.max(this.#maxOutstanding, this.#outstanding.size)
    while (this.#begun < this.#due && this.#begin(this.#ended(this.#begun))) this.#begun++
  }

  #ended(index: number): () => void {
    return () => {
      if (this.#outstanding.delete(index)) this.#record(index)
    }
  }

  #record(index: number): void {
    this.#histogram.record(this.#clock.now() - this.#start - (this.#arrivals[index] ?? 0))
  }

  result(): OpenLoopResult {
    const unanswered = this.#outstanding.size
    for (const index of this.#outstanding) this.#record(index)
    this.#outstanding.clear()
    return {
      histogram: this.#histogram,
      maxOutstanding: this.#maxOutstanding,
      unanswered,
      maxPause: this.#maxPause,
    }
  }
}
