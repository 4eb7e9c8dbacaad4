import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { EXCEPTIONS } from './tests/exceptions.ts'

/**
 * A test of the gate starts no program, no browser and no server of another kind, does not sleep, and knows no time that something
 * may take: each of these can be red by chance on a busy machine. What needs one is named `*.night.test.ts`.
 */

const ROOT = join(import.meta.dirname, '..')

/** They start a program or a server, or wait for a time. */
const MODULES = [
  ...['node:child_process', 'node:cluster', 'node:timers/promises'],
  ...['dynalite', 'esbuild', 'playwright-core', 'workerd'],
]
const WORDS = ['vi.waitFor(', 'vi.waitUntil(', 'performance.now(']
/** `describeStore` uses it only for a server with a clock of its own. */
const REAL_CLOCK = 'packages/testkit/src/clock.ts'
/** For a test that picks a port, there is `runService`, `runServer` and the like. */
const FREE_PORT = '@grantkit/test-servers/free-port'

const IMPORT = /^(?:import|export)\s(?!type\s)(?:[^'"]*?\sfrom\s)?'([^']+)'/gm
const TEST_CODE = /\.test\.ts$|(^|\/)test\/.*\.ts$|^packages\/(testkit|test-servers)\/src\/.*\.ts$/

const gate = globSync('{packages,apps,docs,examples,scripts,proof}/**/*.test.ts', {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '**/*.night.test.ts', '**/scripts/engine.test.ts'],
})

it('no test of the gate reaches a program, a sleep or a bound in time', () => {
  const faults = gate.filter((file) => !(file in EXCEPTIONS)).flatMap(faultsOf)
  expect(faults, 'take it away, or name the file *.night.test.ts').toEqual([])
})

it.each(Object.entries(EXCEPTIONS))('%s is still an exception: %s', (file) => {
  expect(gate).toContain(file)
  expect(faultsOf(file)).not.toEqual([])
})

/** The ways from a test to what it must not have, through the code of tests. */
function faultsOf(test: string): string[] {
  const ways = new Map([[test, test]])
  const faults: string[] = []
  for (const [file, way] of ways) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const names = [...text.matchAll(IMPORT)].map(([, name = '']) => name)
    const found = [...names.filter((name) => MODULES.includes(name)), ...wordsIn(file, text)]
    if (file !== REAL_CLOCK) faults.push(...found.map((fault) => `${way} > ${fault}`))
    if (file === test && names.includes(FREE_PORT)) faults.push(`${way} > ${FREE_PORT}`)
    for (const name of names) {
      const next = fileOf(name, file)
      if (next !== undefined && !ways.has(next)) ways.set(next, `${way} > ${next}`)
    }
  }
  return faults
}

/** This file names them. */
function wordsIn(file: string, text: string): string[] {
  return file === 'scripts/gate-imports.test.ts' ? [] : WORDS.filter((word) => text.includes(word))
}

/** The file of an import, if it is code of tests. */
function fileOf(name: string, from: string): string | undefined {
  const [, folder, path = ''] = /^@grantkit\/(testkit|test-servers)(\/.+)?$/.exec(name) ?? []
  const file = name.startsWith('.')
    ? join(dirname(from), name)
    : `packages/${folder}/src${path || '/index'}.ts`
  return TEST_CODE.test(file) ? normalize(file) : undefined
}
