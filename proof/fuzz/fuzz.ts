import { readCommandLine, refuse, wholeNumber } from '@grantkit/reference/command-line'
import { FRAMEWORKS } from '@grantkit/reference/frameworks'
import { runCampaign } from './campaign.ts'

/**
 * Mutated requests against every endpoint and page of a
 * service. Prints the seed, which repeats the same requests. Exits with 1 when a promise was broken.
 */

const USAGE = `pnpm --dir proof fuzz [--requests <number>] [--seed <number>] [--framework <name>]

  --requests   how many; 20000 if left out
  --seed       makes the same requests again
  --framework  ${Object.keys(FRAMEWORKS).join(', ')}; fastify if left out`

const { values } = readCommandLine(USAGE, {
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    framework: { type: 'string', default: 'fastify' },
  },
})

const { framework } = values
const requests = wholeNumber(USAGE, '--requests', values.requests)
const seed = wholeNumber(USAGE, '--seed', values.seed, 0)
if (!Object.hasOwn(FRAMEWORKS, framework)) refuse(USAGE, `There is no framework "${framework}".`)
console.log(`${requests} requests with seed ${seed} on ${framework}`)
const { answers, failure } = await runCampaign(requests, seed, { FRAMEWORK: framework })
const statuses = [...answers].sort(([one], [other]) => one - other)
for (const [status, count] of statuses) console.log(`${String(status).padStart(5)} ${count}`)
if (failure !== undefined) {
  console.error(
    `${failure}\nAgain: pnpm --dir proof fuzz --requests ${requests} --seed ${seed} --framework ${framework}`,
  )
  process.exitCode = 1
}
