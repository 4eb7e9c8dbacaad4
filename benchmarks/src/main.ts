import { resolve } from 'node:path'
import { GENERATOR_CORE, pinThisProcess } from './machine.ts'
import { type Measurement, measurePair, type Source } from './measure.ts'
import { type Options, readOptions } from './options.ts'
import { comparison, publish, report } from './report.ts'
import { rowOf, sourceOf } from './targets.ts'
import type { WorkloadName } from './workloads.ts'

const options = readOptions(process.argv.slice(2))
pinThisProcess(GENERATOR_CORE)
if (options.before === undefined) await measureTargets(options)
else await compareCheckouts(resolve(options.before), options)

async function measureTargets({ complete, ...options }: Options): Promise<void> {
  const baseline = (name: string) => sourceOf(rowOf(name).baseline)
  const measured: Measurement[] = []
  for (const workload of options.workloads) measured.push(...(await measureAll(workload, options, baseline)))
  const text = report(measured, options.effort)
  console.log(text)
  if (complete) await publish(measured, text)
}

/** Each target of this checkout against the same one of the other. */
async function compareCheckouts(before: string, options: Options): Promise<void> {
  const measured: Measurement[] = []
  for (const workload of options.workloads)
    measured.push(...(await measureAll(workload, options, (name) => sourceOf(name, before))))
  console.log(comparison(measured))
}

/** Workload by workload: neighbours of a table are neighbours in time. */
async function measureAll(
  workload: WorkloadName,
  { targets, effort }: Pick<Options, 'targets' | 'effort'>,
  baselineOf: (name: string) => Source,
): Promise<Measurement[]> {
  const measured: Measurement[] = []
  for (const name of targets.filter((target) => rowOf(target).workloads.includes(workload))) {
    measured.push(await measurePair([sourceOf(name), baselineOf(name)], workload, effort))
    console.error(`measured ${workload} of ${name}`)
  }
  return measured
}
