/** How large the repository is, counted from its text, and how large it may be: `ceilings.json`. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Numbers by what they count, such as `lines of packages/core`. */
export type Ceilings = Readonly<Record<string, number>>

/** A test, however many rows its table has. */
const TEST = /^\s*(it|test)(\.\w+)*[(`]/gm

export function measured(): Ceilings {
  const all = globSync('{packages,apps,proof,docs,examples,scripts,site}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**'],
  })
  const texts = all.map((file) => ({ file, text: read(file), group: groupOf(file), isTest: isTest(file) }))
  const sources = texts.filter(({ isTest }) => !isTest)
  const tests = texts.filter(({ isTest }) => isTest)
  const scripts = (JSON.parse(read('package.json')) as { scripts: object }).scripts
  const entries = read('scripts/surface.txt').trim().split('\n')
  return {
    'root scripts': Object.keys(scripts).length,
    'lines of the longest source file': Math.max(...sources.map(({ text }) => linesOf(text))),
    ...sums('source files', sources, () => 1),
    ...sums('source lines', sources, ({ text }) => linesOf(text)),
    ...sums('test lines', tests, ({ text }) => linesOf(text)),
    ...sums('tests', tests, ({ text }) => text.match(TEST)?.length ?? 0),
    ...Object.fromEntries(
      Object.entries(Object.groupBy(entries, (line) => line.split(' ')[0] as string)).map(
        ([entry, names = []]) => [`names of ${entry}`, names.length],
      ),
    ),
  }
}

/** What is higher than its ceiling, or has none. */
export function overCeilings(ceilings: Ceilings, now: Ceilings): readonly string[] {
  return Object.entries(now)
    .filter(([name, value]) => value > (ceilings[name] ?? 0))
    .map(([name, value]) => `${name}: ${value}, at most ${ceilings[name] ?? 'none yet'}`)
}

/** Ceilings only fall by themselves, and what is gone needs none. */
export function lowered(ceilings: Ceilings, now: Ceilings): Ceilings {
  const left = Object.entries(ceilings).filter(([name]) => (now[name] ?? 0) > 0)
  return Object.fromEntries(left.map(([name, value]) => [name, Math.min(value, now[name] ?? value)]))
}

interface Text {
  readonly text: string
  readonly group: string
}

function sums<T extends Text>(what: string, texts: readonly T[], count: (text: T) => number): Ceilings {
  const groups = Object.entries(Object.groupBy(texts, ({ group }) => group)).sort()
  return Object.fromEntries(
    groups.map(([group, ofGroup = []]) => [
      `${what} of ${group}`,
      ofGroup.reduce((sum, one) => sum + count(one), 0),
    ]),
  )
}

function groupOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  return ['packages', 'apps', 'proof'].includes(first) ? `${first}/${second}` : first
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.split('/').includes('test')
}

function linesOf(text: string): number {
  return text.split('\n').length - 1
}
