import { styleText } from 'node:util'
import { startCluster } from '../cluster/cluster.ts'
import { readCommandLine, refuse, wholeNumber } from './command-line.ts'

/** Runs several replicas of the service behind an HAProxy, on one machine. */

const USAGE = `DATABASE_URL=postgres://… pnpm --filter @grantkit/reference cluster [--replicas <number>] [--port <port>]

  --replicas   how many; 2 if left out
  --port       where the balancer listens; 3000 if left out. The replicas take the ports after it

Needs HAProxy: its executable on PATH, or named by HAPROXY_PATH.`

const { values } = readCommandLine(USAGE, {
  options: {
    replicas: { type: 'string', default: '2' },
    port: { type: 'string', default: '3000' },
  },
})

const count = wholeNumber(USAGE, '--replicas', values.replicas)
const port = wholeNumber(USAGE, '--port', values.port)
const { DATABASE_URL = '', STORE_URL = DATABASE_URL, HAPROXY_PATH = 'haproxy' } = process.env
if (!/^(postgres|redis)/.test(STORE_URL))
  refuse(USAGE, 'DATABASE_URL must be a Postgres that the replicas share, or STORE_URL a Redis.')
await run()

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
