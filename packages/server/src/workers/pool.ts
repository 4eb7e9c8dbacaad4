import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { backOff } from './back-off.ts'
import type { Stop } from './messages.ts'
import { startWorker, WorkerEnded } from './worker-process.ts'

/** The workers that listen, by their number. A worker that ends is replaced. */
export interface WorkerPool {
  readonly running: ReadonlyMap<number, Worker>
  /** Resolves when all of them listen; `false` if they were stopped before. @throws WorkerEnded when one of them cannot start */
  start(): Promise<boolean>
  /** Tells all of them to stop; it may be called again, with the other signal. Resolves when they have ended. */
  stop(signal: Stop): Promise<void>
}

/** How a worker ended; unknown of a replacement that could not start. */
interface Ended {
  readonly pid?: number | undefined
  readonly code?: number | null
  readonly signal?: string | null
}

interface WorkerPoolOptions {
  readonly count: number
  /** `restartMs`: after how many milliseconds it is replaced. */
  readonly onEnded: (ended: Ended & { readonly worker: number; readonly restartMs: number }) => void
  readonly onReplaced: (worker: number) => void
  /** Called when no worker listens, and one that should replace another one cannot start. */
  readonly onHopeless: (error: WorkerEnded) => void
}

export function workerPool({ count, onEnded, onReplaced, onHopeless }: WorkerPoolOptions): WorkerPool {
  const running = new Map<number, Worker>()
  const nextWait = backOff(() => performance.now())
  let stopping = false

  async function run(number: number, migrates = false): Promise<void> {
    const worker = await startWorker(number, migrates)
    running.set(number, worker)
    worker.once('exit', (code, signal) => {
      running.delete(number)
      replaceLater(number, { pid: worker.process.pid, code, signal })
    })
  }

  function replaceLater(worker: number, ended: Ended): void {
    if (stopping) return
    const restartMs = nextWait()
    onEnded({ worker, ...ended, restartMs })
    setTimeout(() => void replace(worker), restartMs)
  }

  async function replace(number: number): Promise<void> {
    if (stopping) return
    try {
      await run(number)
      onReplaced(number)
    } catch (error) {
      // The others still answer, for example in an outage of the database. Without them the supervisor must see the fault.
      if (running.size === 0 && !stopping && error instanceof WorkerEnded) onHopeless(error)
      else replaceLater(number, {})
    }
  }

  return {
    running,
    async start() {
      try {
        await run(1, true)
        await Promise.all(Array.from({ length: count - 1 }, (_, index) => run(index + 2)))
        return !stopping
      } catch (error) {
        if (stopping) return false
        throw error
      }
    },
    async stop(signal) {
      stopping = true
      const all = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
      const listening = new Set(running.values())
      for (const worker of all) {
        if (listening.has(worker)) worker.send({ kind: 'stop', signal })
        else worker.process.kill('SIGKILL')
      }
      await Promise.all(all.filter((worker) => !worker.isDead()).map((worker) => once(worker, 'exit')))
    },
  }
}
