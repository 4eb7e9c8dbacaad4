/** The process of one target: `serve.ts <file> <port>`. It answers the process that started it, and ends with it. */
import { withHost } from './requests.ts'
import type { StartTarget, WorkloadName } from './workloads.ts'

/** What the measuring process asks, apart from the measured requests. */
export type Order =
  | { readonly do: 'prepare'; readonly workload: WorkloadName | 'consent'; readonly count: number }
  | { readonly do: 'open'; readonly tokens: readonly string[] }
  | { readonly do: 'measure' }

export interface Answer {
  readonly error?: string
  readonly requests?: readonly string[]
  /** CPU time of the process since its start, all threads. */
  readonly cpuSeconds?: number
}

if (process.send !== undefined) await serve(...process.argv.slice(2))

async function serve(file = '', portText = ''): Promise<void> {
  const port = Number(portText)
  const { start } = (await import(file)) as { start: StartTarget }
  const { workloads, opens, close } = await start(port)

  async function carryOut(order: Order): Promise<Answer> {
    if (order.do === 'measure') return { cpuSeconds: cpuSeconds() }
    const requests =
      order.do === 'prepare'
        ? await workloads[order.workload]?.(order.count)
        : opens && order.tokens.map(opens)
    if (order.do === 'prepare' && requests === undefined) throw new Error(`No ${order.workload} here`)
    // Only the young generation: a full collection discards optimized code, and the round would measure the compiler.
    globalThis.gc?.({ type: 'minor' })
    return { requests: requests?.map((request) => withHost(request, port)) ?? [] }
  }

  process.on('message', async (order: Order) => {
    process.send?.(await carryOut(order).catch((error: Error) => ({ error: error.stack })))
  })
  for (const end of ['disconnect', 'SIGINT', 'SIGTERM'])
    process.once(end, async () => {
      await close?.()
      process.exit()
    })
  process.send?.({})
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
