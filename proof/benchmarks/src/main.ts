import { resolve } from 'node:path'
import { during } from '../../progress.ts'
import { GENERATOR_CORE, pinThisProcess } from './machine.ts'
import { type Measurement, measurePair, type Source } from './measure.ts'
import { type Options, readOptions } from './options.ts'
import { comparison, publish, report } from './report.ts'
import { rowOf, sourceOf } from './targets.ts'

const options = readOptions(process.argv.slice(2))
pinThisProcess(GENERATOR_CORE)
if (options.before === undefined) await measureTargets(options)
else await compareCheckouts(resolve(process.env.INIT_CWD ?? '', options.before), options)

async function measureTargets({ complete, ...options }: Options): Promise<void> {
  const baseline = (name: string) => sourceOf(rowOf(name).baseline)
  const measured = await measureAll(options, baseline)
  const text = report(measured, options.effort)
  console.log(text)
  if (complete) await publish(measured, text)
}

/** Each target of this checkout against the same one of the other. */
async function compareCheckouts(before: string, options: Options): Promise<void> {
  console.log(comparison(await measureAll(options, (name) => sourceOf(name, before))))
}

/** Workload by workload: neighbours of a table are neighbours in time. */
async function measureAll(
  { workloads, targets, effort }: Pick<Options, 'workloads' | 'targets' | 'effort'>,
  baselineOf: (name: string) => Source,
): Promise<Measurement[]> {
  const rows = workloads.flatMap((workload) =>
    targets.filter((name) => rowOf(name).workloads.includes(workload)).map((name) => ({ workload, name })),
  )
  const measured: Measurement[] = []
  for (const [at, { workload, name }] of rows.entries()) {
    const pair = [sourceOf(name), baselineOf(name)] as const
    const doing = `${at + 1} of ${rows.length}: ${workload} of ${name}`
    measured.push(await during(doing, measurePair(pair, workload, effort)))
  }
  return measured
}
