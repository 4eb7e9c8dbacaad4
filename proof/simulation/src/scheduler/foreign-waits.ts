import { AsyncLocalStorage, createHook } from 'node:async_hooks'

/** What runs in the turn in which it was queued, or is part of the scheduler. */
const HARMLESS = new Set(['Immediate', 'Microtask', 'TickObject', 'PROMISE'])
/** By WebCrypto, such as that of an ID token. */
const SIGNATURE = 'SIGNREQUEST'
/** Not of a library, not of the test runner. */
const OF_THE_REPOSITORY = /\/(packages|apps|proof)\/(?!.*node_modules)/
/** A call of Node that returns when it is done, such as `hkdfSync`. */
const SYNCHRONOUS = /Sync \(node:internal/

/** A wait of the simulated code that the queue does not know: the run would not be the same again. */
export class ForeignWaitError extends Error {
  override name = 'ForeignWaitError'

  constructor(type: string, stack: string) {
    super(`The code waits outside of the queue, for a ${type}. Pass it the port Time.\n${stack}`)
  }
}

/** Watches for timers, sockets, files and threads that simulated code waits for. */
export class ForeignWaits {
  #found: ForeignWaitError | undefined
  /** Tells the run from what else runs in the process, such as a timer of another test. */
  readonly #context = new AsyncLocalStorage<true>()
  /** They are made on another thread, so virtual time stands still until the last one is there. */
  readonly #signatures = new Set<number>()
  readonly #hook = createHook({
    init: (id, type) => {
      if (this.#found !== undefined || HARMLESS.has(type) || this.#context.getStore() === undefined) return
      if (type === SIGNATURE) return void this.#signatures.add(id)
      Error.stackTraceLimit = 30
      const stack = new Error('wait').stack ?? ''
      Error.stackTraceLimit = 0
      const own = stack
        .split('\n')
        .filter((line) => OF_THE_REPOSITORY.test(line) && !line.includes('foreign-waits'))
      if (own.length > 0 && !SYNCHRONOUS.test(stack)) this.#found = new ForeignWaitError(type, own.join('\n'))
    },
    after: (id) => {
      this.#signatures.delete(id)
    },
    // They are how the simulated code runs, and most of its cost.
    trackPromises: false,
  })

  /** Watches what this calls, and what follows from it. */
  watch<T>(work: () => T): T {
    return this.#context.run(true, work)
  }

  /** Calls this now, or as soon as no signature is being made. */
  whenSigned(next: () => void): void {
    if (this.#signatures.size === 0) next()
    // Not from the hook: `next` would run in the context of the request, and so would all that follows.
    else setImmediate(() => this.whenSigned(next))
  }

  start(): void {
    this.#hook.enable()
  }

  stop(): void {
    this.#hook.disable()
  }

  /** @throws ForeignWaitError */
  throwIfAny(): void {
    if (this.#found !== undefined) throw this.#found
  }
}
