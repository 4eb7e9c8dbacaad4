import { measureGrowth } from '../growth/growth.ts'
import { compareRedisClients } from '../redis/clients.ts'
import { compareStores } from '../stores/compare.ts'
import { GENERATOR_CORE, pinThisProcess } from './cores.ts'
import { type Options, readOptions } from './options.ts'
import { isSteady, steadyPart, verdict } from './publishable.ts'
import { report } from './report.ts'
import {
  forgetUnfinished,
  keepUnfinished,
  newResults,
  type Results,
  readUnfinished,
  writeResults,
} from './results.ts'
import { stepsLeft } from './run.ts'
import { measureScaling } from './scaling.ts'
import { measureBesideSignIns } from './sign-ins.ts'

/** The most passes of one run: a machine that is never steady must not be measured for ever. */
const MAX_PASSES = 3

const options = readOptions(process.argv.slice(2))
if (options.mode === 'scaling') console.log(await measureScaling(options.quick))
else if (options.mode === 'redis') console.log(await compareRedisClients())
else if (options.mode === 'stores') console.log(await compareStores())
else if (options.mode === 'sign-ins') console.log(await measureBesideSignIns(options.effort))
else if (options.mode === 'growth') console.log(await measureGrowth())
else await compare(options)

async function compare(options: Options): Promise<void> {
  const results = await measureAll(options)
  console.log(`\n${report(results)}`)
  console.log(verdict(results.measurements))
  if (!options.complete) return
  console.log(`Written to ${await writeResults(results)}`)
  if (isSteady(results)) {
    await forgetUnfinished()
    console.log('Publish it: node benchmarks/src/readme.ts')
  } else console.log('Measure those workloads again: pnpm bench')
}

/** Measures everything, and the workloads in which the machine was unsteady again. */
async function measureAll(options: Options): Promise<Results> {
  const begun = newResults(options)
  const earlier = options.complete ? await readUnfinished(begun) : undefined
  if (earlier) console.error(`Going on with the run of ${earlier.date}`)
  pinThisProcess(GENERATOR_CORE)
  let results = await measureLeft(options, earlier ?? begun)
  for (let pass = 1; pass < MAX_PASSES && options.complete && !isSteady(results); pass++) {
    console.error(verdict(results.measurements))
    results = await measureLeft(options, steadyPart(results))
  }
  return results
}

async function measureLeft(options: Options, begun: Results): Promise<Results> {
  let results = begun
  const steps = stepsLeft(options, results)
  const start = Date.now()
  for (const [index, { title, measure }] of steps.entries()) {
    console.error(`${minutesSince(start)} min, ${index + 1} of ${steps.length}: ${title}`)
    const { measurements = [], memory = [] } = await measure()
    results = {
      ...results,
      measurements: [...results.measurements, ...measurements],
      memory: [...results.memory, ...memory],
    }
    if (options.complete) await keepUnfinished(results)
  }
  return results
}

function minutesSince(start: number): string {
  return ((Date.now() - start) / 60_000).toFixed(1)
}
