import { setTimeout as delay } from 'node:timers/promises'

/** What a run may cost the server. */
export interface Limits {
  readonly requests: number
  readonly grants: number
  readonly seconds: number
  /** Requests a second outside of bursts. */
  readonly rate: number
}

export const DEFAULT_LIMITS: Limits = { requests: 2000, grants: 200, seconds: 300, rate: 20 }
/** For a public host. No option raises them. */
export const PUBLIC_LIMITS = { requests: 300, burst: 8 }

/** A limit ended the run. What it found until then stays. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget'
}

/** Counts requests and grants, keeps the rate, and obeys `Retry-After`. */
export class Budget {
  #limits: Limits
  readonly #deadline: number
  #next = 0
  #requests = 0
  #grants = 0
  #ending = false

  constructor(limits: Limits) {
    this.#limits = limits
    this.#deadline = performance.now() + limits.seconds * 1000
  }

  /** Lowers the limit of requests. */
  cap(requests: number): void {
    this.#limits = { ...this.#limits, requests: Math.min(requests, this.#limits.requests) }
  }

  get requests(): number {
    return this.#requests
  }

  get grants(): number {
    return this.#grants
  }

  /** From now on only what is left is revoked, also after the deadline. */
  endRun(): void {
    this.#ending = true
  }

  /** Waits until `count` requests may start together. @throws OutOfBudget */
  async take(count = 1): Promise<void> {
    // One for each grant, for the revocations at the end.
    const kept = this.#ending ? 0 : this.#grants
    if (this.#requests + count + kept > this.#limits.requests)
      throw new OutOfBudget(`The limit of ${this.#limits.requests} requests is reached.`)
    const start = Math.max(this.#next, performance.now())
    if (start > this.#deadline && !this.#ending)
      throw new OutOfBudget(`The limit of ${this.#limits.seconds} seconds is reached.`)
    this.#requests += count
    this.#next = start + 1000 / this.#limits.rate
    const wait = start - performance.now()
    if (wait > 0) await delay(wait)
  }

  /** @throws OutOfBudget */
  takeGrant(): void {
    if (this.#grants >= this.#limits.grants)
      throw new OutOfBudget(`The limit of ${this.#limits.grants} grants is reached.`)
    this.#grants += 1
  }

  /** Starts nothing for a while. `Retry-After` has seconds or a date (RFC 9110 section 10.2.3). */
  pause(retryAfter: string | undefined): void {
    const seconds = Number(retryAfter ?? 1)
    const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter ?? '') - Date.now()
    if (ms > 0) this.#next = Math.max(this.#next, performance.now() + ms)
  }
}
