import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.ts'

/**
 * `pnpm fuzz --requests 20000 [--seed N] [--framework express]`: mutated requests against every endpoint and page of a
 * service. Prints the seed, which repeats the same requests. Exits with 1 when a promise was broken.
 */

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    framework: { type: 'string', default: 'fastify' },
  },
})

const { requests, seed, framework } = values
console.log(`${requests} requests with seed ${seed} on ${framework}`)
const { answers, failure } = await runCampaign(Number(requests), Number(seed), { FRAMEWORK: framework })
const statuses = [...answers].sort(([one], [other]) => one - other)
for (const [status, count] of statuses) console.log(`${String(status).padStart(5)} ${count}`)
if (failure !== undefined) {
  console.error(`${failure}\nAgain: pnpm fuzz --requests ${requests} --seed ${seed} --framework ${framework}`)
  process.exitCode = 1
}
