/** The parts of the source that mutants are counted for, one at a time. */
import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { ROOT } from '../../scripts/packages/publishable.ts'

export interface Module {
  readonly name: string
  /** Globs of its source. */
  readonly source: readonly string[]
  /** Globs of the tests that must kill its mutants. */
  readonly tests: readonly string[]
  /** The least share of mutants that the tests must kill, in percent. */
  readonly least: number
}

/** Where a mistake gives a token to the wrong one. */
const STRICT = ['authentication', 'device', 'dpop', 'grants', 'token-exchange', 'tokens']

/** Its files outside a folder only join the others, or type them. A folder without files is left of a branch, and no module. */
const FILES = globSync('packages/core/src/{*,features/*,clients/authentication}/*.ts', { cwd: ROOT })
const CORE = [...new Set(FILES.map((file) => dirname(file)))].map(
  (folder): Module => ({
    name: `core/${folder.replace(/^packages\/core\/src\/(features\/)?/, '')}`,
    source: [`${folder}/**/*.ts`, ...(folder.endsWith('/clients') ? [`!${folder}/authentication/**`] : [])],
    tests: ['packages/core/{src,test}/**/*.test.ts'],
    least: STRICT.includes(basename(folder)) ? 95 : 90,
  }),
)

/** Of stores only what runs without a server: the rest is SQL and Lua, with mutants of its own. */
const PACKAGES = [
  'explain',
  'known-clients',
  'notifications',
  'safe-fetch',
  'store-memory',
  'store-sqlite',
].map(
  (name): Module => ({
    name,
    source: [`packages/${name}/src/**/*.ts`],
    tests: [`packages/${name}/{src,test}/**/*.test.ts`],
    least: name.startsWith('store') ? 95 : 90,
  }),
)

const FOLDERS = [
  ['pages', 'connected-apps', '*'],
  ['server', 'limits', '{counters,rate-limiter}'],
].map(
  ([name, folder, files]): Module => ({
    name: `${name}/${folder}`,
    source: [`packages/${name}/src/${folder}/${files}.ts`],
    tests: [`packages/${name}/{src/${folder}/*,test/${folder}*}.test.ts`],
    least: 90,
  }),
)

const ALL = [...CORE, ...PACKAGES, ...FOLDERS]
export const MODULES: readonly Module[] = ALL.sort((a, b) => a.name.localeCompare(b.name))

// Read by the nightly workflow.
if (import.meta.main) console.log(JSON.stringify(MODULES.map(({ name }) => name)))
