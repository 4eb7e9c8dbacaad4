import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeMachine, installedVersions, type Machine } from './machine.ts'
import type { Measurement } from './measure.ts'
import type { GrantMemory } from './memory.ts'
import type { Effort } from './options.ts'

/** Everything one run showed. */
export interface Results {
  readonly date: string
  readonly quick: boolean
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
  readonly effort: Effort
  readonly measurements: readonly Measurement[]
  readonly memory: readonly GrantMemory[]
}

export const RESULTS = join(import.meta.dirname, '../results')

export function newResults(quick: boolean, effort: Effort): Results {
  return {
    date: new Date().toISOString(),
    quick,
    machine: describeMachine(),
    versions: installedVersions(),
    effort,
    measurements: [],
    memory: [],
  }
}

/** Keeps a run under its day and the number of cores, and as the latest for people. */
export async function writeResults(results: Results, report: string): Promise<string> {
  const name = `${results.date.slice(0, 10)}-${results.machine.cores}cores.json`
  await mkdir(RESULTS, { recursive: true })
  await writeFile(join(RESULTS, name), `${JSON.stringify(results, undefined, 2)}\n`)
  await writeFile(join(RESULTS, 'latest.md'), report)
  return name
}
