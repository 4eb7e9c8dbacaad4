import { setTimeout as sleep } from 'node:timers/promises'
import { cli } from '@grantkit/test-servers/redis-cli'
import { readCommandLine, wholeNumber } from '../src/commands/command-line.ts'
import { startTestCluster, type TestCluster } from './cluster.ts'
import { KILLED_REPLICA, ROLLING_RESTART, STORE_INJECTIONS } from './injections.ts'
import { runMix } from './mix.ts'
import { KEYS_WITHOUT_END } from './redis-keys.ts'
import { Tally } from './tally.ts'

/**
 * Replicas behind an HAProxy under the load of many installations, with one fault after
 * another. Prints its counts. Exits with 1 when a token was issued twice, came back or was lost.
 */

const USAGE = `pnpm soak [--minutes <number>] [--replicas <number>] [--workers <number>]

  --minutes   how long; 10 if left out
  --replicas  how many replicas of the service; 2 if left out
  --workers   how many installations at the same time; 16 if left out`

const { values } = readCommandLine(USAGE, {
  options: {
    minutes: { type: 'string', default: '10' },
    replicas: { type: 'string', default: '2' },
    workers: { type: 'string', default: '16' },
  },
})

const INJECTIONS = [...STORE_INJECTIONS, ROLLING_RESTART, KILLED_REPLICA]

const minutes = wholeNumber(USAGE, '--minutes', values.minutes)
const replicas = wholeNumber(USAGE, '--replicas', values.replicas)
const workers = wholeNumber(USAGE, '--workers', values.workers)
const until = Date.now() + minutes * 60_000
const tally = new Tally()
const cluster = await startTestCluster(replicas)
try {
  const { baseUrl } = cluster
  const shouldContinue = () => Date.now() < until
  const mix = runMix({ baseUrl, origins: [baseUrl], workers, tally, shouldContinue })
  await injectInTurn(cluster)
  await mix
  await report(cluster)
} finally {
  await cluster.stop()
}

/** Spreads the faults over the available time, with pauses between them. */
async function injectInTurn(target: TestCluster): Promise<void> {
  const calm = (until - Date.now()) / (INJECTIONS.length + 1) / 2
  for (const { name, inject } of INJECTIONS) {
    await sleep(calm)
    if (Date.now() + calm > until) return
    console.log(`${new Date().toISOString()}  ${name}`)
    await inject(target)
    await sleep(calm / 2)
  }
}

async function report({ redis }: TestCluster): Promise<void> {
  const endless = await cli('-p', `${redis.port}`, 'eval', KEYS_WITHOUT_END, '0')
  console.log(`\n${tally.report()}\n${'keys without an end'.padEnd(30)} ${endless}`)
  const faults = tally.allFaults()
  for (const fault of faults.slice(0, 20)) console.error(fault)
  if (faults.length > 0 || endless !== '0') process.exitCode = 1
}
