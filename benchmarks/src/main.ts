import { measureGrowth } from '../growth/growth.ts'
import { compareRedisClients } from '../redis/clients.ts'
import { compareStores } from '../stores/compare.ts'
import { GENERATOR_CORE, pinThisProcess } from './cores.ts'
import { measureWork } from './measure.ts'
import { measureMemory } from './memory.ts'
import { type Options, readOptions } from './options.ts'
import { report } from './report.ts'
import { keepUnfinished, newResults, type Results, readUnfinished, writeResults } from './results.ts'
import { measureScaling } from './scaling.ts'

const options = readOptions(process.argv.slice(2))
if (options.mode === 'scaling') console.log(await measureScaling(options.quick))
else if (options.mode === 'redis') console.log(await compareRedisClients())
else if (options.mode === 'stores') console.log(await compareStores())
else if (options.mode === 'growth') console.log(await measureGrowth())
else await compare(options)

async function compare(options: Options): Promise<void> {
  const results = await measureAll(options)
  const text = report(results)
  console.log(`\n${text}`)
  if (options.complete) console.log(`Written to results/${await writeResults(results, text)}`)
}

async function measureAll(options: Options): Promise<Results> {
  const begun = newResults(options.quick, options.effort)
  const earlier = options.complete ? await readUnfinished(begun) : undefined
  if (earlier) console.error(`Going on with the run of ${earlier.date}`)
  let results = earlier ?? begun
  pinThisProcess(GENERATOR_CORE)
  for (const work of options.work) {
    if (results.measurements.some((measured) => measured.work === work)) continue
    console.error(`Measuring ${work}`)
    const measured = await measureWork(work, options)
    results = { ...results, measurements: [...results.measurements, ...measured] }
    if (options.complete) await keepUnfinished(results)
  }
  console.error('Measuring memory')
  return { ...results, memory: options.memory ? await measureMemory(options) : [] }
}
