import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** What needs programs that npm does not bring, or minutes: servers, browsers, other runtimes, kills, loads. `pnpm test:night` runs it. */

const ROOT = import.meta.dirname
const TESTS = globSync('{packages,apps,docs,examples,scripts,proof}/**/*.test.ts', {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
})
const NIGHT = TESTS.filter((file) => file.endsWith('.night.test.ts'))

const mention = (text: string) => (file: string) => readFileSync(join(ROOT, file), 'utf8').includes(text)
const below = (folder: string) => (file: string) => file.startsWith(folder)

/** Tests of SQL, and flows that depend on Postgres: its races and its transactions. */
const ON_POSTGRES = [
  ...TESTS.filter(mention('onEachDatabase(')),
  ...named('apps/reference/test', ['mcp', 'device-commands.night']),
  ...named('packages/server/test', [
    'oauth4webapi',
    'passkey-sign-in',
    'back-channel-logout',
    'sign-out',
    'upstream-pages',
  ]),
]

/** They load several processes, and what they expect of a restart or of a revocation depends on the time it takes. */
const UNDER_LOAD = [
  ...named('proof/load/test', ['faults.night', 'one-postgres.night', 'refresh-after-outage.night']),
  ...named('apps/reference/test', ['rolling-upgrade.night']),
  ...named('packages/server/test', ['revocation-feed.night', 'workers/killed-worker.night']),
]

const IN_WORKERD = NIGHT.filter(below('packages/store-cloudflare/test/workerd/'))
const TARBALLS = NIGHT.filter(below('scripts/packages/'))
const PROOF = NIGHT.filter(below('proof/')).filter((file) => !UNDER_LOAD.includes(file))
const IN_A_BROWSER = NIGHT.filter(mention('/chromium')).filter((file) => !TARBALLS.includes(file))
const STORES = NIGHT.filter(below('packages/store-')).filter((file) => !IN_WORKERD.includes(file))
const SORTED = [UNDER_LOAD, IN_WORKERD, TARBALLS, PROOF, IN_A_BROWSER, STORES].flat()
const PROGRAMS = NIGHT.filter((file) => !SORTED.includes(file))

export default defineConfig({
  test: {
    projects: [
      shard('stores', STORES),
      shard('programs', PROGRAMS),
      // It only ends what hangs.
      shard('browser', IN_A_BROWSER, { testTimeout: 240_000, hookTimeout: 240_000 }),
      shard('postgres', ON_POSTGRES, {
        env: { STORAGE: 'postgres' },
        globalSetup: 'apps/reference/test/postgres-for-tests.ts',
      }),
      shard('tarballs', TARBALLS, { globalSetup: 'scripts/packages/packed-once.ts' }),
      'packages/store-cloudflare/test/workerd/vitest.config.ts',
      shard('proof', PROOF),
      shard('load', UNDER_LOAD, { fileParallelism: false }),
    ],
  },
})

function named(folder: string, names: readonly string[]): string[] {
  const files = names.map((name) => `${folder}/${name}.test.ts`)
  const missing = files.filter((file) => !TESTS.includes(file))
  if (missing.length > 0) throw new Error(`There is no test ${missing.join(', ')}`)
  return files
}

/** Each file has a process of its own. */
function shard(name: string, include: readonly string[], options: object = {}) {
  return {
    test: {
      name,
      include: [...include],
      maxWorkers: availableParallelism(),
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
      silent: 'passed-only' as const,
      ...options,
    },
  }
}
