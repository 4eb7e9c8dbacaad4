import { parseArgs, styleText } from 'node:util'
import { startCluster } from '../cluster/cluster.ts'

/** Runs several replicas of the service behind an HAProxy, on one machine. */

const USAGE = `STORE_URL=redis://… pnpm cluster [--replicas <number>] [--port <port>]

  --replicas   how many; 2 if left out
  --port       where the balancer listens; 3000 if left out. The replicas take the ports after it

Needs HAProxy: its executable on PATH, or named by HAPROXY_PATH.`

const { values } = parseArgs({
  options: {
    replicas: { type: 'string', default: '2' },
    port: { type: 'string', default: '3000' },
  },
})

const count = Number(values.replicas)
const port = Number(values.port)
const { STORE_URL = 'memory:', HAPROXY_PATH = 'haproxy' } = process.env
if (!(count >= 1 && port >= 1) || STORE_URL === 'memory:') {
  console.error(USAGE)
  process.exitCode = 1
} else await run()

async function run(): Promise<void> {
  const cluster = await startCluster({
    port,
    replicas: Array.from({ length: count }, (_, index) => port + 1 + index),
    haproxy: HAPROXY_PATH,
    environment: process.env,
    onOutput: (text) => process.stdout.write(text),
  })
  console.log(styleText('bold', `${count} replicas at ${cluster.baseUrl}`))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => cluster.stop().then(() => process.exit(0)))
  }
}
