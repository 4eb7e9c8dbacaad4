import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, onCore, SERVER_CORE } from './machine.ts'
import type { Answer, Order } from './serve.ts'

/** A run starts some two hundred processes, which would compile the same files each time. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/node')

/** Where a checkout has its benchmarks: older ones have them at the top. */
const FOLDERS = ['proof/benchmarks', 'benchmarks']

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
    const folder = FOLDERS.map((name) => join(checkout, name)).find((path) => existsSync(join(path, file)))
    if (folder === undefined) throw new Error(`${checkout} has no ${file} in ${FOLDERS.join(' or ')}`)
    const target = new TargetProcess(folder, file, await freePort())
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
    this.#process.send({ ...order, ...forOlderCheckouts(order) })
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
    const [message]: [Answer & { readonly answer?: Answer }] = await Promise.race([
      once(this.#process, 'message') as never,
      this.#ended,
    ])
    const answer = message.answer ?? message
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }
}

/** Until 23 November 2026 an order was the member of a message with a number, and some workloads had other names. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  jwt: 'protected-jwt',
  dpop: 'protected-dpop',
  par: 'push',
}

function forOlderCheckouts(order: Order): object {
  const named = order.do === 'prepare' && { work: OLDER_NAMES[order.workload] ?? order.workload }
  return { id: 0, order: { ...order, ...named, collect: 'young' } }
}
