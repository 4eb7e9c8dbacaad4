import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lineChart } from './chart.ts'
import { onCore, SERVER_CORE } from './cores.ts'
import { RESULTS } from './results.ts'
import type { Cost, Size } from './scaling-point.ts'
import { table } from './table.ts'

const POINT = join(import.meta.dirname, 'scaling-point.ts')
const SMALL: Size = { grants: 1000, clients: 10, scopes: 10 }

const PASSES = 3

/** The values of each size, while the others stay small. */
const SIZES: { readonly [Name in keyof Size]: readonly number[] } = {
  grants: [1000, 10_000, 100_000, 1_000_000],
  clients: [10, 1000, 100_000],
  scopes: [10, 100, 1000],
}

/**
 * Calls Grantkit in its process: HTTP would hide a small growth. Each point has its own process. A complete run is
 * saved as `results/scaling.md`.
 */
export async function measureScaling(quick: boolean): Promise<string> {
  const sections: string[] = []
  for (const name of Object.keys(SIZES) as (keyof Size)[]) {
    const points = quick ? ends(SIZES[name]) : SIZES[name]
    const sizes = points.map((size) => ({ ...SMALL, [name]: size }))
    sections.push(section(name, points, await minimumCosts(sizes, quick ? 1 : PASSES)))
  }
  const text = ['# What a request costs among many records', INTRODUCTION, ...sections, ''].join('\n\n')
  if (!quick) await writeFile(join(RESULTS, 'scaling.md'), text)
  return text
}

const INTRODUCTION = `\`pnpm bench scaling\`: microseconds for one request in the process of the server, the lower quartile of many
batches, the least of three passes. One size grows while the others stay small (1,000 grants, 10 clients, 10 scopes). Each line of a
chart is one kind of request, in multiples of what it costs at the smallest size: a line that stays flat does not care.`

function ends(points: readonly number[]): number[] {
  return [points[0] ?? 0, points.at(-1) ?? 0]
}

/** The minimum of several passes over all sizes, because noise can only add. */
async function minimumCosts(sizes: readonly Size[], passes: number): Promise<Cost[]> {
  const least: Cost[] = []
  for (let pass = 0; pass < passes; pass++) {
    for (const [point, size] of sizes.entries()) least[point] = minimumCost(await costAt(size), least[point])
  }
  return least
}

function minimumCost(cost: Cost, other: Cost = cost): Cost {
  const entries = Object.entries(cost).map(([work, value]) => [
    work,
    Math.min(value, other[work as keyof Cost]),
  ])
  return Object.fromEntries(entries)
}

async function costAt(size: Size): Promise<Cost> {
  const node = ['--expose-gc', POINT, JSON.stringify(size)]
  const { stdout } = await promisify(execFile)(...onCore(SERVER_CORE, process.execPath, node))
  return JSON.parse(stdout)
}

function section(name: keyof Size, points: readonly number[], costs: readonly Cost[]): string {
  const works = Object.keys(costs[0] ?? {}) as (keyof Cost)[]
  const labels = points.map((size) => size.toLocaleString('en'))
  const costOf = (index: number, work: keyof Cost) => costs[index]?.[work] ?? Number.NaN
  const rows = labels.map((label, index) => [label, ...works.map((work) => costOf(index, work).toFixed(1))])
  const lines = works.map((work) => points.map((_, index) => costOf(index, work) / costOf(0, work)))
  return [`## ${name}`, table([name, ...works], rows), lineChart(name, labels, lines)].join('\n\n')
}
