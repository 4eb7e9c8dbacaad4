import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onCore, SERVER_CORE } from './cores.ts'
import type { Cost, Size } from './scaling-point.ts'
import { table } from './table.ts'

const POINT = join(import.meta.dirname, 'scaling-point.ts')
const SMALL: Size = { grants: 1000, clients: 10, scopes: 10 }

/** What each size is turned to while the others stay small. */
const SIZES: { readonly [Name in keyof Size]: readonly number[] } = {
  grants: [1000, 10_000, 100_000, 1_000_000],
  clients: [10, 1000, 100_000],
  scopes: [10, 100, 1000],
}

/** Calls Grantkit in its process, without HTTP, which would hide a small growth. A process for each point. */
export async function measureScaling(quick: boolean): Promise<string> {
  const sections: string[] = []
  for (const name of Object.keys(SIZES) as (keyof Size)[]) {
    const points = quick ? ends(SIZES[name]) : SIZES[name]
    const costs = []
    for (const size of points) costs.push(await costAt({ ...SMALL, [name]: size }))
    sections.push(section(name, points, costs))
  }
  return ['Microseconds for one request, the median of many batches.', ...sections].join('\n\n')
}

function ends(points: readonly number[]): number[] {
  return [points[0] ?? 0, points.at(-1) ?? 0]
}

async function costAt(size: Size): Promise<Cost> {
  const node = ['--expose-gc', POINT, JSON.stringify(size)]
  const { stdout } = await promisify(execFile)(...onCore(SERVER_CORE, process.execPath, node))
  return JSON.parse(stdout)
}

function section(name: keyof Size, points: readonly number[], costs: readonly Cost[]): string {
  const works = Object.keys(costs[0] ?? {}) as (keyof Cost)[]
  const rows = points.map((size, index) => [
    size.toLocaleString('en'),
    ...works.map((work) => (costs[index]?.[work] ?? Number.NaN).toFixed(1)),
  ])
  return table([name, ...works], rows)
}
