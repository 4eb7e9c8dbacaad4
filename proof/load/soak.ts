import { setTimeout as sleep } from 'node:timers/promises'
import { readCommandLine, refuse, wholeNumber } from '@grantkit/reference/command-line'
import { cli } from '@grantkit/test-servers/redis-cli'
import { startTestCluster, type TestCluster } from './cluster.ts'
import { DEPLOYMENTS } from './deployments.ts'
import { Editors } from './editors.ts'
import type { Injection } from './injections.ts'
import { runMix, TOKENS, USUAL } from './mix.ts'
import { KEYS_WITHOUT_END } from './redis-keys.ts'
import { Tally } from './tally.ts'

/**
 * Replicas behind an HAProxy under the load of many installations, with one fault after another. Prints its counts. Exits
 * with 1 when a token was issued twice, came back or was lost.
 */

const USAGE = `pnpm --dir proof soak [--minutes <number>] [--replicas <number>] [--workers <number>]
          [--store redis|sentinel|cluster|postgres] [--skew <seconds>] [--tokens <number>]

  --minutes   how long; 10 if left out
  --replicas  how many replicas of the service; 2 if left out
  --workers   how many installations at the same time; 16 if left out
  --store     a single Redis with a faulty network, one with failover, or one Postgres for the records of OAuth and the
              school, where editors work as well; redis if left out
  --skew      how wrong the clocks of the replicas are, one late, one right, one early; 0 if left out
  --tokens    stops after so many token requests, and sends few others`

const { values } = readCommandLine(USAGE, {
  options: {
    minutes: { type: 'string', default: '10' },
    replicas: { type: 'string', default: '2' },
    workers: { type: 'string', default: '16' },
    store: { type: 'string', default: 'redis' },
    skew: { type: 'string', default: '0' },
    tokens: { type: 'string' },
  },
})

const minutes = wholeNumber(USAGE, '--minutes', values.minutes)
const replicas = wholeNumber(USAGE, '--replicas', values.replicas)
const workers = wholeNumber(USAGE, '--workers', values.workers)
const skew = wholeNumber(USAGE, '--skew', values.skew, 0)
const tokens = values.tokens === undefined ? undefined : wholeNumber(USAGE, '--tokens', values.tokens)
const deploy = new Map(Object.entries(DEPLOYMENTS)).get(values.store)
if (deploy === undefined) refuse(USAGE, `--store must be one of ${Object.keys(DEPLOYMENTS).join(', ')}.`)

const EDITORS = 4
const until = Date.now() + minutes * 60_000
const tally = new Tally()
const deployment = await deploy()
const cluster = await startTestCluster(replicas, deployment.environment, (index) => skew * ((index % 3) - 1))
try {
  const { baseUrl } = cluster
  const editors = deployment.oneSchool ? await Editors.signIn(cluster, tally) : undefined
  const actions = tokens === undefined ? USUAL : TOKENS
  const mix = runMix({ baseUrl, origins: [baseUrl], workers, tally, actions, shouldContinue })
  const edits = editors?.work(EDITORS, shouldContinue)
  await injectInTurn(cluster, deployment.injections)
  await Promise.all([mix, edits])
  await report(cluster)
} finally {
  await cluster.stop()
  await deployment.close()
}

function shouldContinue(): boolean {
  return Date.now() < until && tally.requestsTo('/api/oauth/token') < (tokens ?? Number.POSITIVE_INFINITY)
}

/** One fault after another, with pauses between them: once each in the available time, or until there are enough tokens. */
async function injectInTurn(target: TestCluster, injections: readonly Injection[]): Promise<void> {
  const calm = tokens === undefined ? (until - Date.now()) / (injections.length + 1) / 2 : 3000
  do {
    for (const { name, inject } of injections) {
      await sleep(calm)
      if (!shouldContinue() || Date.now() + calm > until) return
      console.log(`${new Date().toISOString()}  ${name}`)
      await inject(target)
      await sleep(calm / 2)
    }
  } while (tokens !== undefined)
}

async function report({ redis, output }: TestCluster): Promise<void> {
  console.log(`\n${tally.report()}`)
  const faults = tally.allFaults()
  for (const fault of faults.slice(0, 20)) console.error(fault)
  if (faults.length > 0) console.error(`\nThe last words of the service:\n${output().slice(-20_000)}`)
  const endless = await cli('-p', `${redis.port}`, 'eval', KEYS_WITHOUT_END, '0')
  if (endless !== '0') console.error(`keys without an end: ${endless}`)
  if (faults.length > 0 || endless !== '0') process.exitCode = 1
}
