import { readFile, writeFile } from 'node:fs/promises'
import { arch, cpus, loadavg, platform, release } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../..')

/** One paragraph: what the figures depend on. */
export async function conditions(): Promise<string> {
  const day = new Date().toISOString().slice(0, 10)
  const version = async (name: string) => (await manifestOf(name)).version
  const packages = ['@cloudflare/workers-oauth-provider', 'miniflare', 'hono']
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await version(name)}`))
  const { dependencies } = await manifestOf('miniflare')
  const system = `${platform()} ${release()} ${arch()}, Node ${process.versions.node}`
  const machine = `${cpus()[0]?.model}, ${cpus().length} cores, ${system}`
  return `${day}: ${versions.join(', ')}, workerd ${dependencies.workerd}. ${machine}.`
}

async function manifestOf(name: string) {
  const path = join(ROOT, 'proof/benchmarks/node_modules', name, 'package.json')
  return JSON.parse(await readFile(path, 'utf8')) as { version: string; dependencies: { workerd: string } }
}

/** Other processes slow all sides down, but not alike. @param before the load of the machine before the run */
export function steadiness(before: number): string {
  const after = loadNow()
  const load = `Load ${before.toFixed(1)} before and ${after.toFixed(1)} after the run.`
  const isBusy = before > 1 || after > cpus().length
  return isBusy ? `${load} **The machine was busy: the times are only a rough guide.**` : load
}

/** Of the last minute. */
export function loadNow(): number {
  return loadavg()[0] ?? 0
}

export interface Report {
  readonly conditions: string
  readonly rounds: number
  /** In Markdown. */
  readonly behaviour: string
  readonly speed: string
  readonly steadiness: string
}

export async function publish({ rounds, behaviour, speed, ...report }: Report): Promise<void> {
  const text = `# On Cloudflare Workers

${report.conditions}

The method, and what is emulated: [benchmarks](../README.md#on-cloudflare-workers).

## Races and failures

${rounds} rounds of each race.

${behaviour}

## Speed and size

${report.steadiness}

${speed}
`
  await writeFile(join(ROOT, 'proof/benchmarks/results/edge.md'), text)
  await replaceInComparison(behaviour)
}

async function replaceInComparison(behaviour: string): Promise<void> {
  const path = join(ROOT, 'docs/comparison.md')
  const page = (await readFile(path, 'utf8')).replace(
    /(<!-- edge:start -->\n)[\s\S]*(<!-- edge:end -->)/,
    (_, start, end) => `${start}\n${behaviour}\n\n${end}`,
  )
  await writeFile(path, page)
}
