/** The parts of the source that mutants are counted for, one at a time. */
import { globSync } from 'node:fs'
import { basename } from 'node:path'
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

/** Its files outside a folder only join the others, or type them. */
const CORE = globSync('packages/core/src/{[!f]*,features/*,clients/authentication}/', { cwd: ROOT }).map(
  (folder): Module => ({
    name: `core/${folder.replace(/^packages\/core\/src\/(features\/)?/, '')}`,
    source: [`${folder}/**/*.ts`, ...(folder.endsWith('/clients') ? [`!${folder}/authentication/**`] : [])],
    tests: ['packages/core/{src,test}/**/*.test.ts'],
    least: STRICT.includes(basename(folder)) ? 95 : 90,
  }),
)

/** Of stores only what runs without a server: the rest is SQL and Lua, with mutants of its own. */
const PACKAGES = ['explain', 'limiter', 'safe-fetch', 'store-memory', 'store-sqlite'].map(
  (name): Module => ({
    name,
    source: [`packages/${name}/src/**/*.ts`],
    tests: [`packages/${name}/{src,test}/**/*.test.ts`],
    least: name.startsWith('store') ? 95 : 90,
  }),
)

export const MODULES: readonly Module[] = [...CORE, ...PACKAGES].sort((a, b) => a.name.localeCompare(b.name))

// Read by the nightly workflow.
if (import.meta.main) console.log(JSON.stringify(MODULES.map(({ name }) => name)))
