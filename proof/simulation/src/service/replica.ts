import type { HttpRequest, HttpResponse, Store } from '@grantkit/core'
import type { Time } from '@grantkit/core/internal'
import { currentStream } from '../scheduler/random-streams.ts'
import type { SeededRandom } from '../scheduler/seeded-random.ts'
import type { VirtualTime } from '../scheduler/virtual-time.ts'
import type { Conditions } from '../store/conditions.ts'
import { faultyStore } from '../store/faulty-store.ts'
import { laggingReads } from '../store/lagging-reads.ts'
import { createService, EPOCH, type LIFETIMES, type Service } from './service.ts'

/** The process in which a fault is planted. */
export interface Place {
  readonly replica: number
  readonly time: VirtualTime
  /** Epoch seconds by the clock of the replica. */
  readonly now: () => number
}

/** A change of the service that plants a fault. */
export interface Plant {
  /** Wraps the store of a process. */
  store?(store: Store, place: Place): Store
  guardStore?(store: Store, place: Place): Store
  /** Wraps the requests of a process. */
  handle?(handle: Service['handle'], place: Place): Service['handle']
  readonly lifetimes?: Partial<typeof LIFETIMES>
  /** Milliseconds that the clock of the last replica is ahead. */
  readonly clockAheadMs?: number
  /** A crash takes the writes of so many milliseconds with it, and nobody declares it. */
  readonly crashLosesMs?: number
}

export interface ReplicaParts {
  readonly number: number
  readonly store: Store
  readonly conditions: Conditions
  readonly guardLagMs: number
  readonly plant: Plant
  readonly onEvent: (event: { readonly type: string }) => void
}

/** A process of the server. It may crash, which ends all that it does, and starts again as another process. */
export class Replica {
  readonly name: string
  readonly #parts: ReplicaParts
  readonly #time: VirtualTime
  readonly #random: SeededRandom
  #offsetMs: number
  #generation = 0
  #service: Service | undefined
  readonly #place: Place
  readonly #onCrash = new Set<() => void>()

  constructor(parts: ReplicaParts, offsetMs: number) {
    this.name = `replica-${parts.number + 1}`
    this.#parts = parts
    this.#time = parts.conditions.time
    this.#random = parts.conditions.random
    this.#offsetMs = offsetMs
    const now = () => EPOCH + Math.floor((this.#time.now + this.#offsetMs) / 1000)
    this.#place = { replica: parts.number, time: this.#time, now }
    this.start()
  }

  /** How far its clock is ahead, in milliseconds. */
  get offsetMs(): number {
    return this.#offsetMs
  }

  get service(): Service | undefined {
    return this.#service
  }

  start(): void {
    // A second crash while it was down. To start a process that runs would silently end what it does.
    if (this.#service !== undefined) return
    const generation = ++this.#generation
    const isAlive = () => generation === this.#generation
    const { plant, guardLagMs } = this.#parts
    const reached = faultyStore(this.#parts.store, this.#parts.conditions, isAlive)
    const store = plant.store?.(reached, this.#place) ?? reached
    const lagging = laggingReads(reached, this.#time, guardLagMs)
    this.#service = createService({
      store,
      guardStore: plant.guardStore?.(lagging, this.#place) ?? lagging,
      now: this.#place.now,
      time: this.#timeOf(isAlive),
      random: (size) => currentStream(this.#random).bytes(size),
      lifetimes: plant.lifetimes,
      onEvent: this.#parts.onEvent,
    })
  }

  crash(): void {
    this.#generation++
    this.#service = undefined
    const waiting = [...this.#onCrash]
    this.#onCrash.clear()
    for (const tell of waiting) tell()
  }

  moveClock(byMs: number, limitMs: number): void {
    this.#offsetMs = Math.min(limitMs, Math.max(-limitMs, this.#offsetMs + byMs))
  }

  /** @returns `undefined` if the process crashed before its answer, or is down */
  handle(request: HttpRequest): Promise<HttpResponse | undefined> {
    const { plant } = this.#parts
    return this.call((service) => (plant.handle?.(service.handle, this.#place) ?? service.handle)(request))
  }

  /** The same for a call of the server by the application, in the same process. */
  call<T>(work: (service: Service) => Promise<T>): Promise<T | undefined> {
    const service = this.#service
    if (service === undefined) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const crashed = () => resolve(undefined)
      this.#onCrash.add(crashed)
      const settled = () => void this.#onCrash.delete(crashed)
      work(service).finally(settled).then(resolve, reject)
    })
  }

  /** The timers of a process end with it. */
  #timeOf(isAlive: () => boolean): Time {
    return {
      sleep: (milliseconds) =>
        new Promise((resolve) => this.#time.after(milliseconds, () => isAlive() && resolve())),
      after: (milliseconds, work) => this.#time.after(milliseconds, () => isAlive() && work()),
    }
  }
}
