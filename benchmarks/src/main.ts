import { GENERATOR_CORE, pinThisProcess } from './cores.ts'
import { measureWork } from './measure.ts'
import { readOptions, USAGE } from './options.ts'

const options = readOptions(process.argv.slice(2))
if (options === 'help' || options === 'scaling') console.log(USAGE)
else {
  pinThisProcess(GENERATOR_CORE)
  for (const work of options.work) {
    for (const row of await measureWork(work, options))
      console.log(
        row.work.padEnd(10),
        row.target.padEnd(14),
        row.requestsPerSecond.toFixed(0).padStart(7),
        row.p50.toFixed(2),
        row.p99.toFixed(2),
        row.cpuPer10k.toFixed(2),
        row.serverBusy.toFixed(2),
        row.generatorBusy.toFixed(2),
      )
  }
}
