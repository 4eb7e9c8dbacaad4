import type { Profiler } from 'node:inspector'

/** The lines of the budget, in the order of a request. */
export const LINES = [
  'parse',
  'client',
  'find',
  'hash and derive',
  'compare and swap',
  'rules',
  'page',
  'response',
  'garbage',
  'other',
] as const
export type Line = (typeof LINES)[number]

interface Rule {
  readonly line: Line
  readonly file: RegExp
  readonly name?: RegExp
}

/** The innermost function on the stack that a rule knows says where the time goes: a native hash belongs to whoever asked for it. */
const RULES: readonly Rule[] = [
  { line: 'find', file: /store-memory\//, name: /^(find|list|get|live)/ },
  { line: 'compare and swap', file: /store-memory\/|grants\/change-grant\.ts$/ },
  { line: 'hash and derive', file: /kernel\/secrets\.ts$/ },
  { line: 'parse', file: /http\/(message|page)\.ts$|tokens\/credential\.ts$|\/node_modules\/zod\// },
  { line: 'response', file: /http\/(http|endpoint)\.ts$/ },
  { line: 'client', file: /core\/src\/clients\// },
  { line: 'page', file: /packages\/pages\// },
  { line: 'rules', file: /packages\/core\/src\// },
]

/** The profiler, and what makes the calls. */
const MEASUREMENT = /^node:inspector|\/benchmarks\/src\//

/** The share of a profile that each line has; the work of the measurement itself is left out. */
export function sharesOf(profile: Profiler.Profile): Record<Line, number> {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  )
  const lines = new Map(profile.nodes.map(({ id }) => [id, lineOf(id, nodes, parents)]))
  const spent = Object.fromEntries(LINES.map((line) => [line, 0])) as Record<Line, number>
  profile.samples?.forEach((id, index) => {
    const line = lines.get(id)
    if (line !== undefined) spent[line] += profile.timeDeltas?.[index] ?? 0
  })
  const whole = Object.values(spent).reduce((sum, one) => sum + one, 0)
  return Object.fromEntries(LINES.map((line) => [line, spent[line] / whole])) as Record<Line, number>
}

function lineOf(
  leaf: number,
  nodes: ReadonlyMap<number, Profiler.ProfileNode>,
  parents: ReadonlyMap<number, number>,
): Line | undefined {
  for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
    const { functionName, url } = nodes.get(id)?.callFrame ?? { functionName: '', url: '' }
    if (functionName === '(garbage collector)') return 'garbage'
    if (functionName === '(idle)' || MEASUREMENT.test(url)) return undefined
    const rule = RULES.find(({ file, name }) => file.test(url) && (name?.test(functionName) ?? true))
    if (rule !== undefined) return rule.line
  }
  return 'other'
}
