import { mkdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Effort } from './options.ts'
import { runRound, type Subject } from './round.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'benchmarks/profiles')

/** One more round with the profiler, which slows it: none of its numbers are used. */
export async function profileRound(subject: Subject, count: number, effort: Effort): Promise<void> {
  const { row, work } = subject
  const path = join(FOLDER, `${row.name}-${work}.cpuprofile`)
  await mkdir(FOLDER, { recursive: true })
  await runRound({ ...subject, count: count * 2 }, effort, path)
  console.log(`\n${relative(ROOT, path)}, self time:\n${await summary(path)}\n`)
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

/** The hottest functions, after the packages they belong to. */
async function summary(path: string): Promise<string> {
  const { nodes, samples } = JSON.parse(await readFile(path, 'utf8')) as CpuProfile
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const busy = samples.map((id) => frames.get(id)).filter((frame) => frame !== undefined)
  const working = busy.filter(({ functionName }) => functionName !== '(idle)')
  return [...shares(working.map(ownerOf)), '', ...shares(working.map(nameOf)).slice(0, MOST)].join('\n')
}

function shares(names: readonly string[]): string[] {
  return [...Map.groupBy(names, (name) => name)]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([name, { length }]) => `${((length / names.length) * 100).toFixed(1).padStart(6)} %  ${name}`)
}

/** The package of a function; without a file it is native code or the engine itself. */
function ownerOf({ functionName, url }: Frame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native'
  return /node:|packages\/[\w-]+|benchmarks\/(?!node_modules)/.exec(shortened(url))?.[0] ?? packageOf(url)
}

function packageOf(url: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url
}

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const name = functionName || '(anonymous)'
  return url === '' ? name : `${name}  ${shortened(url)}:${lineNumber + 1}`
}

function shortened(url: string): string {
  return url.replace(`file://${ROOT}/`, '').replace(/^.*node_modules\//, '')
}
