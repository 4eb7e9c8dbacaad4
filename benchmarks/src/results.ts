import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describeMachine, installedRevision, installedVersions, type Machine } from './machine.ts'
import type { Measurement } from './measure.ts'
import type { GrantMemory } from './memory.ts'
import type { Effort } from './options.ts'

/** Everything one run showed. */
export interface Results {
  readonly date: string
  readonly quick: boolean
  readonly machine: Machine
  /** Of Grantkit, as `git describe` says it; empty outside a repository. */
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

/** Keeps a run under its day and the number of cores, and as the latest for people. */
export async function writeResults(results: Results, report: string): Promise<string> {
  const name = `${results.date.slice(0, 10)}-${results.machine.cores}cores.json`
  await mkdir(RESULTS, { recursive: true })
  await writeFile(join(RESULTS, name), `${JSON.stringify(results, undefined, 2)}\n`)
  await writeFile(join(RESULTS, 'latest.md'), report)
  await rm(UNFINISHED, { force: true })
  return name
}

/** The workloads a complete run has behind it, so that one that was cut short can go on. */
const UNFINISHED = join(import.meta.dirname, '../unfinished.json')

export async function keepUnfinished(results: Results): Promise<void> {
  await writeFile(UNFINISHED, JSON.stringify(results))
}

/** What an earlier run of the same commit with the same effort left, if nothing else was changed. */
export async function readUnfinished({ revision, effort }: Results): Promise<Results | undefined> {
  if (revision === '' || revision.endsWith('-dirty')) return undefined
  const text = await readFile(UNFINISHED, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const left: Results = JSON.parse(text)
  return isDeepStrictEqual([left.revision, left.effort], [revision, effort]) ? left : undefined
}
