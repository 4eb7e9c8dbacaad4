/**
 * Messages to receivers on the internet that must arrive at least once (docs/adr/0067). A message is stored first, in an inbox of its
 * process, then moved to the queue of its receiver and tried, by this process or, if it ended, by any other one of the server.
 */
import { newId, type Transients } from '@grantkit/core/feature'
import { type Emit, IN_WORKER } from '@grantkit/core/internal'
import { deliveries, expendable, type OutboxOptions, RETRY_SECONDS } from './delivery.ts'
import { directory, gathered } from './directory.ts'
import { type Entry, type Ports, queues } from './queue.ts'

/** A store or a key failed while messages were looked for or delivered. They are tried again. */
export interface OutboxFailed {
  readonly type: 'outbox_failed'
  /** Its name: `logout-outbox`, `webhook-outbox` or `mail-outbox`. */
  readonly outbox: string
  readonly cause: unknown
}

export interface Outbox<Facts> {
  /** Resolves when the messages are stored. @throws OAuthError 503 */
  add(target: string, facts: readonly Facts[]): Promise<void>
  /** Delivers what is due now, and resolves when all of it was tried. */
  deliver(): Promise<void>
}

const MAX_WAITING = 10_000
/** Between looks at what other processes left: a read of the store for each of them and each receiver with messages. */
const POLL_SECONDS = 60
/** After the start, so that a server is created without waiting for its store. */
const FIRST_SECONDS = 1
const [HELD_PAUSE_SECONDS, MAX_HELD] = [2, 1000]

export function createOutbox<Facts>(
  { now, time, random, emit }: Ports & { readonly emit: Emit },
  transients: Transients,
  options: OutboxOptions<Facts>,
): Outbox<Facts> {
  const { name, undelivered, timers = !IN_WORKER, maxWaiting = MAX_WAITING, heldSeconds = 0 } = options
  const hasTimers = () => (typeof timers === 'object' ? !timers.aborted : timers)
  let inbox: string | undefined
  /** Of this process. A Worker has no randomness when a server is created. */
  function worker(): string {
    inbox ??= newId(random)
    return inbox
  }
  const listed = directory(transients, name, { now, time, random })
  const queued = queues<Facts>({
    ...{ transients, name, now, time, random, worker, maxWaiting },
    expendable: (all, count) => expendable(all, count, options.share),
  })
  const deliver = deliveries({ now, time, random, options, listed, queued, failed })
  const running = new Map<string, { readonly done: Promise<readonly string[]>; next?: Promise<void> }>()
  const alarms = new Map<string, { readonly due: number; readonly cancel: () => void }>()
  let held = 0
  let [isRetrying, isLooking] = [false, false]

  /** Only this process and who moves its messages write the record: no `add` competes with another. */
  const store = gathered(async (added: readonly Entry<Facts>[]) => {
    const isNew = await queued.add(worker(), undefined, added)
    return listed.add([{ key: worker(), isNew, isInbox: true }])
  })

  async function stored(added: readonly Entry<Facts>[]): Promise<boolean> {
    const end = now() + heldSeconds
    let isHeld = false
    try {
      for (;;)
        try {
          return await store(added)
        } catch (cause) {
          if (now() >= end || (!isHeld && held >= MAX_HELD)) throw cause
          if (!isHeld) held++
          isHeld = true
          await time.sleep(HELD_PAUSE_SECONDS * 1000)
        }
    } finally {
      if (isHeld) held--
    }
  }

  /** One at a time for a queue. What is added during a run may come too late for it, so another run follows. */
  function begin(key: string): Promise<void> {
    const current = running.get(key)
    if (current !== undefined) {
      current.next ??= current.done.then(() => begin(key))
      return current.next
    }
    const done = run(key).finally(() => running.delete(key))
    running.set(key, { done })
    return done.then(beginAll)
  }

  async function beginAll(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map(begin))
  }

  async function run(key: string): Promise<readonly string[]> {
    try {
      const { due, moved } = await deliver(key)
      wake(key, due)
      return moved
    } catch (cause) {
      failed(cause)
      wake(key, now() + RETRY_SECONDS)
      return []
    }
  }

  function failed(cause: unknown): void {
    emit({ type: 'outbox_failed', outbox: name, cause } satisfies OutboxFailed)
  }

  /** What is due later is found by the next look: so a clock that jumps costs a minute at most. */
  function wake(key: string, due: number): void {
    const seconds = Math.max(0, due - now())
    const current = alarms.get(key)
    if (!hasTimers() || seconds > POLL_SECONDS || (current !== undefined && current.due <= due)) return
    current?.cancel()
    const cancel = time.after(seconds * 1000, () => {
      alarms.delete(key)
      if (hasTimers()) void begin(key)
    })
    alarms.set(key, { due, cancel })
  }

  function retry(cause: unknown): void {
    failed(cause)
    if (!hasTimers() || isRetrying) return
    isRetrying = true
    time.after(RETRY_SECONDS * 1000, () => {
      isRetrying = false
      if (hasTimers()) void lookAgain()
    })
  }

  /** A queue that cannot be read holds up no other. */
  async function lookAt(key: string) {
    try {
      return [{ key, ...(await queued.look(key)) }]
    } catch (cause) {
      retry(cause)
      return []
    }
  }

  /** @returns the queues that are due */
  async function lookAtAll(): Promise<readonly string[]> {
    try {
      // Before the queues are closed: see `directory.remove`.
      const seen = await listed.read()
      const looks = (await Promise.all(listed.keysIn(seen).map(lookAt))).flat()
      const closed = looks.filter(({ isClosed }) => isClosed).map(({ key }) => key)
      await listed.remove(closed, seen).catch(retry)
      const later = ({ due }: { due: number }) => due > now()
      for (const { key, due } of looks.filter(later)) wake(key, due)
      return looks.filter((look) => !later(look)).map(({ key }) => key)
    } catch (cause) {
      retry(cause)
      return []
    }
  }

  /** A look that waits for the store is not begun again. Deliveries are not waited for. */
  async function lookAgain(): Promise<void> {
    if (isLooking) return
    isLooking = true
    const due = await lookAtAll()
    isLooking = false
    await beginAll(due)
  }

  function poll(): void {
    if (!hasTimers()) return
    time.after(POLL_SECONDS * 1000, poll)
    void lookAgain()
  }
  // Timers keep no process alive.
  if (hasTimers()) time.after(FIRST_SECONDS * 1000, poll)

  return {
    async add(target, facts) {
      const at = now()
      const entry = (facts: Facts) => ({
        id: newId(random),
        target,
        storedAt: at,
        due: at,
        attempts: 0,
        facts,
      })
      try {
        const isNamed = await stored(facts.map(entry))
        if (!isNamed) undelivered({ target, why: 'overflow', facts: facts[0], count: facts.length })
      } finally {
        // A write that failed may have stored the messages.
        wake(worker(), at)
      }
    },
    deliver: async () => beginAll(await lookAtAll()),
  }
}
