import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort, onCore, SERVER_CORE } from './machine.ts'
import type { Answer, Order } from './serve.ts'

/** A run starts some two hundred processes, which would compile the same files each time. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/node')

/**
 * The heap of a server, in megabytes, starts large: no full collection falls into its start. After one that does, some
 * processes build the objects of Node's `nextTick` the slow way as long as they live, 3 µs for a request: one in three.
 */
const FIRST_HEAP = '--initial-old-space-size=256'

/** A target in a process of its own, on the core of servers. It gets one command at a time. */
export class TargetProcess {
  readonly #process: ChildProcess
  readonly #ended: Promise<never>
  readonly port: number

  /** @param checkout the folder of the repository whose benchmarks have the file */
  static async start(checkout: string, file: string): Promise<TargetProcess> {
    const target = new TargetProcess(join(checkout, 'benchmarks'), file, await freePort())
    await target.#answer()
    return target
  }

  private constructor(folder: string, file: string, port: number) {
    this.port = port
    const program = [join(folder, 'src/serve.ts'), join(folder, file), String(port)]
    const [command, args] = onCore(SERVER_CORE, process.execPath, ['--expose-gc', FIRST_HEAP, ...program])
    this.#process = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE, NODE_ENV: 'production' },
    })
    this.#ended = once(this.#process, 'exit').then(([code]) => {
      throw new Error(`${file} ended with ${code}`)
    })
    this.#ended.catch(() => {})
  }

  ask(order: Order): Promise<Answer> {
    this.#process.send(order)
    return this.#answer()
  }

  async cpuSeconds(): Promise<number> {
    return (await this.ask({ do: 'measure' })).cpuSeconds ?? 0
  }

  async stop(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect()
    await this.#ended.catch(() => {})
  }

  async #answer(): Promise<Answer> {
    const [answer]: [Answer] = await Promise.race([once(this.#process, 'message') as never, this.#ended])
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }
}
