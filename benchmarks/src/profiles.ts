import { mkdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Effort } from './options.ts'
import { measureRound, type Subject } from './round.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'benchmarks/profiles')

/** One round more with the profiler on, which slows it: none of its numbers are kept. */
export async function profileRound(subject: Subject, count: number, effort: Effort): Promise<void> {
  const { row, process, work } = subject
  const path = join(FOLDER, `${row.name}-${work}.cpuprofile`)
  await mkdir(FOLDER, { recursive: true })
  await process.ask({ do: 'profile' })
  await measureRound(subject, count * 2, effort)
  await process.ask({ do: 'write-profile', path })
  console.log(`\n${relative(ROOT, path)}, top self time:\n${await hottest(path)}\n`)
}

interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[]
  readonly samples: readonly number[]
}

interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

const MOST = 25

async function hottest(path: string): Promise<string> {
  const { nodes, samples } = JSON.parse(await readFile(path, 'utf8')) as CpuProfile
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const busy = samples.map((id) => names.get(id) ?? '').filter((name) => name !== '(idle)')
  const counts = Map.groupBy(busy, (name) => name)
  return [...counts]
    .map(([name, { length }]) => ({ name, share: length / busy.length }))
    .sort((one, other) => other.share - one.share)
    .slice(0, MOST)
    .map(({ name, share }) => `${(share * 100).toFixed(1).padStart(6)} %  ${name}`)
    .join('\n')
}

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const name = functionName || '(anonymous)'
  const file = url.replace(`file://${ROOT}/`, '').replace(/^.*node_modules\//, '')
  return file === '' ? name : `${name}  ${file}:${lineNumber + 1}`
}
