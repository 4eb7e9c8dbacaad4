/** The process of one target: `serve.ts <file> <port>`. It obeys the process that started it, and ends with it. */
import { collectYoung } from './garbage.ts'
import { withHost } from './http-text.ts'
import type { Answer, Order } from './orders.ts'
import { startProfile } from './profile.ts'
import type { StartTarget, Target } from './target.ts'

const [file = '', given] = process.argv.slice(2)
const port = Number(given)
const { start } = (await import(file)) as { start: StartTarget }
const target = await start(port)

const profile = { stop: undefined as ((path: string) => Promise<void>) | undefined }
process.on('message', async ({ id, order }: { id: number; order: Order }) => {
  const answer = await carryOut(target, order).catch((error: Error) => ({
    error: error.stack ?? String(error),
  }))
  process.send?.({ id, answer })
})
for (const end of ['disconnect', 'SIGTERM']) process.on(end, () => process.exit())
process.send?.({ id: 0, answer: { work: Object.keys(target.work) } })

async function carryOut({ opens }: Target, order: Order): Promise<Answer> {
  switch (order.do) {
    case 'prepare':
      return { requests: await requestsOf(order) }
    case 'open':
      return { requests: opens === undefined ? [] : withHosts(order.tokens.map(opens)) }
    case 'measure': {
      if (order.collect === 'young') collectYoung()
      if (order.collect === 'all') globalThis.gc?.()
      return usage()
    }
    case 'profile':
      profile.stop = await startProfile()
      return {}
    case 'write-profile':
      await profile.stop?.(order.path)
      return {}
  }
}

function usage(): Answer {
  const { user, system } = process.cpuUsage()
  const { heapUsed, external } = process.memoryUsage()
  return { cpuSeconds: (user + system) / 1e6, heapBytes: heapUsed + external }
}

async function requestsOf({ work, count }: Extract<Order, { do: 'prepare' }>): Promise<string[]> {
  const offered = target.work[work]
  if (offered === undefined) throw new Error(`${file} does not offer ${work}`)
  return withHosts(await offered.requests(count))
}

function withHosts(requests: readonly string[]): string[] {
  return requests.map((request) => withHost(request, port))
}
