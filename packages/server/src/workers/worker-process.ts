import type { ChildProcess } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { MIGRATES, type ToPrimary, WORKER } from './messages.ts'

/** A worker has ended before it listened. */
export class WorkerEnded extends Error {
  /** Of the whole server, if it cannot go on. */
  readonly exitCode: number

  constructor(number: number, code: number | null, signal: string | null) {
    super(`Worker ${number} ended before it listened, with ${signal ?? code}`)
    this.exitCode = code || 1
  }
}

/** Starts a process with the command line of this one. Resolves when it listens. @throws WorkerEnded */
export function startWorker(number: number, migrates: boolean): Promise<Worker> {
  const worker = cluster.fork({ [WORKER]: number, ...(migrates && { [MIGRATES]: '1' }) })
  closeUntaken(worker.process)
  return new Promise((resolve, reject) => {
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'listening') resolve(worker)
    })
    worker.once('exit', (code, signal) => reject(new WorkerEnded(number, code, signal)))
  })
}

/**
 * `node:cluster` forgets the connection that it has just sent to a worker when that worker is killed. Its client would wait until its
 * own time limit, so it is closed. A connection that the worker did take is closed already in this process.
 */
function closeUntaken(worker: ChildProcess): void {
  let last: Connection | undefined
  worker.send = new Proxy(worker.send, {
    apply(send, self, sent: unknown[]) {
      if (isConnection(sent[1])) last = sent[1]
      return Reflect.apply(send, self, sent)
    },
  })
  worker.once('exit', () => last?.close())
}

/** A handle of Node itself, which its types do not declare. */
interface Connection {
  close(): void
}

function isConnection(sent: unknown): sent is Connection {
  return typeof (sent as Partial<Connection> | undefined)?.close === 'function'
}
