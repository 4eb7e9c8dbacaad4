import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describeClientCredentials, installedRevision, installedVersions, type Machine } from './machine.ts'
import type { Measurement } from './measurement.ts'
import type { GrantMemory } from './memory.ts'
import type { Effort, Options } from './options.ts'
import { steadyPart } from './publishable.ts'

/** The results of one run. */
export interface Results {
  readonly date: string
  readonly quick: boolean
  /** Whether every row and workload was asked for. */
  readonly complete: boolean
  readonly machine: Machine
  /** The version of Grantkit by `git describe`; empty outside a repository. */
  readonly revision: string
  readonly versions: Readonly<Record<string, string>>
  readonly effort: Effort
  readonly measurements: readonly Measurement[]
  readonly memory: readonly GrantMemory[]
}

export const RESULTS = join(import.meta.dirname, '../results')

export function newResults({ quick, complete, effort }: Options): Results {
  return {
    date: new Date().toISOString(),
    quick,
    complete,
    machine: describeClientCredentials(),
    revision: installedRevision(),
    versions: installedVersions(),
    effort,
    measurements: [],
    memory: [],
  }
}

/** Saves a run by date and number of cores. @returns the path of the file in the repository */
export async function writeResults(results: Results): Promise<string> {
  const name = `${results.date.slice(0, 10)}-${results.machine.cores}cores.json`
  await mkdir(RESULTS, { recursive: true })
  await writeFile(join(RESULTS, name), `${JSON.stringify(results, undefined, 2)}\n`)
  return `benchmarks/results/${name}`
}

/** What a complete run has measured so far, so that an interrupted run can continue. */
const UNFINISHED = join(import.meta.dirname, '../unfinished.json')

export async function keepUnfinished(results: Results): Promise<void> {
  await writeFile(UNFINISHED, JSON.stringify(results))
}

export async function forgetUnfinished(): Promise<void> {
  await rm(UNFINISHED, { force: true })
}

/**
 * What an interrupted run of the same commit and effort measured, if no file has changed: all but the workloads in which
 * the machine was unsteady.
 */
export async function readUnfinished({ revision, effort }: Results): Promise<Results | undefined> {
  if (revision === '' || revision.endsWith('-dirty')) return undefined
  const text = await readFile(UNFINISHED, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const left: Results = JSON.parse(text)
  if (!isDeepStrictEqual([left.revision, left.effort], [revision, effort])) return undefined
  return steadyPart(left)
}
