import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onCore, SERVER_CORE } from './cores.ts'
import { freePort } from './listen.ts'
import type { Answer, Order } from './orders.ts'
import type { WorkName } from './work.ts'

const SERVE = join(import.meta.dirname, 'serve.ts')

/** A run starts some two hundred processes, which would compile the same files each time. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/node')

/**
 * The heap of a server, in megabytes, starts large: no full collection falls into its start. After one that does, some
 * processes build the objects of Node's `nextTick` the slow way as long as they live, 3 µs for a request: one in three.
 */
const FIRST_HEAP = '--initial-old-space-size=256'

/** A target in a process of its own, on the core of servers. */
export class TargetProcess {
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>()
  #orders = 0
  readonly port: number
  work: readonly WorkName[] = []

  static async start(file: string): Promise<TargetProcess> {
    const target = new TargetProcess(file, await freePort())
    const { work = [] } = await target.#answerTo(0)
    target.work = work
    return target
  }

  private constructor(file: string, port: number) {
    this.port = port
    const [command, args] = onCore(SERVER_CORE, process.execPath, [
      '--expose-gc',
      FIRST_HEAP,
      SERVE,
      join(import.meta.dirname, '..', file),
      String(port),
    ])
    this.#process = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE, NODE_ENV: 'production' },
    })
    this.#process.on('message', ({ id, answer }: { id: number; answer: Answer }) => {
      if (answer.error === undefined) this.#waiting.get(id)?.resolve(answer)
      else this.#waiting.get(id)?.reject(new Error(answer.error))
      this.#waiting.delete(id)
    })
    this.#process.on('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${file} ended with ${code}`))
    })
  }

  async ask(order: Order): Promise<Answer> {
    const id = ++this.#orders
    const answer = this.#answerTo(id)
    this.#process.send({ id, order })
    return answer
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill()
    await ended
  }

  #answerTo(id: number): Promise<Answer> {
    const waiting = Promise.withResolvers<Answer>()
    this.#waiting.set(id, waiting)
    return waiting.promise
  }
}
