import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describeMachine, installedRevision, installedVersions, type Machine } from './machine.ts'
import type { Measurement } from './measure.ts'
import type { GrantMemory } from './memory.ts'
import type { Effort } from './options.ts'

/** The results of one run. */
export interface Results {
  readonly date: string
  readonly quick: boolean
  readonly machine: Machine
  /** The version of Grantkit by `git describe`; empty outside a repository. */
  readonly revision: string
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
    revision: installedRevision(),
    versions: installedVersions(),
    effort,
    measurements: [],
    memory: [],
  }
}

/** Saves a run by date and number of cores, and as the latest report. */
export async function writeResults(results: Results, report: string): Promise<string> {
  const name = `${results.date.slice(0, 10)}-${results.machine.cores}cores.json`
  await mkdir(RESULTS, { recursive: true })
  await writeFile(join(RESULTS, name), `${JSON.stringify(results, undefined, 2)}\n`)
  await writeFile(join(RESULTS, 'latest.md'), report)
  await rm(UNFINISHED, { force: true })
  return name
}

/** The finished workloads of a complete run, so that an interrupted run can continue. */
const UNFINISHED = join(import.meta.dirname, '../unfinished.json')

export async function keepUnfinished(results: Results): Promise<void> {
  await writeFile(UNFINISHED, JSON.stringify(results))
}

/** The results of an interrupted run with the same commit and effort, if no file has changed. */
export async function readUnfinished({ revision, effort }: Results): Promise<Results | undefined> {
  if (revision === '' || revision.endsWith('-dirty')) return undefined
  const text = await readFile(UNFINISHED, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const left: Results = JSON.parse(text)
  return isDeepStrictEqual([left.revision, left.effort], [revision, effort]) ? left : undefined
}
